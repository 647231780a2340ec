/** What set-up cannot do by itself: the cause, and where there is one the command that mends it. */
export class SetupProblem extends Error {
  constructor(cause, command) {
    super(command ? `${cause} Mend it with: ${command}` : cause);
  }
}
