import type { LogOutputChannel } from 'vscode';
import { type Log, plainText } from '../base/log.ts';

/** The engine's log in a channel of the editor, without control characters. */
export function channelLog(channel: LogOutputChannel): Log {
  return {
    debug: (message) => channel.debug(plainText(message)),
    info: (message) => channel.info(plainText(message)),
    warn: (message) => channel.warn(plainText(message)),
    error: (message) => channel.error(plainText(message)),
  };
}
