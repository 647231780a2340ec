import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { LANGUAGES } from '../../src/languages/registry.ts';
import { ALL_LANGUAGES } from '../../src/vscode/languages.ts';

const { contributes } = packageJson;
const settings = contributes.configuration.flatMap(({ properties }) => Object.keys(properties));

describe('EDITOR_LANGUAGES', () => {
  it('has every language of the engine', () => {
    expect(ALL_LANGUAGES.map(({ id }) => id)).toEqual(LANGUAGES.map(({ id }) => id));
  });

  it.each(ALL_LANGUAGES)(
    'declares the commands of $name in package.json, the menus and the welcome view',
    (language) => {
      const { newSession, build } = language.commands;
      const commandsIn = (entries: readonly { command: string }[]) => entries.map(({ command }) => command);
      expect(commandsIn(contributes.commands)).toEqual(expect.arrayContaining([newSession, build]));
      expect(commandsIn(contributes.menus['file/newFile'])).toContain(newSession);
      expect(commandsIn(contributes.menus['view/title'])).toEqual(expect.arrayContaining([newSession, build]));
      expect(contributes.viewsWelcome[0]?.contents).toContain(`(command:${newSession})`);
      expect(settings).toContain(language.imageSetting);
    },
  );

  it.each(ALL_LANGUAGES)(
    'names the kernel of $name so that the toolbar buttons for it match',
    ({ controller, packageManager }) => {
      const kernel = `${packageJson.publisher}.${packageJson.name}/${controller}`;
      for (const { command, when } of contributes.menus['notebook/toolbar']) {
        const pattern = /^notebookKernel =~ \/(.*)\/$/.exec(when)?.[1] ?? 'no pattern';
        const isFor = command !== 'hothouse.addPackages' || packageManager !== undefined;
        expect([command, new RegExp(pattern).test(kernel)]).toEqual([command, isFor]);
        const enablement = contributes.commands.find((one) => one.command === command)?.enablement;
        expect([command, enablement]).toEqual([command, when]);
      }
    },
  );
});

describe('contributes.languages', () => {
  it("declares Lean by its id alone, so that the Lean 4 extension's grammar and configuration apply", () => {
    expect(contributes.languages.map((language) => Object.keys(language))).toEqual([['id', 'aliases']]);
    expect(contributes.languages[0]?.id).toBe('lean4');
    expect(contributes).not.toHaveProperty('grammars');
  });
});
