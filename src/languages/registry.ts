import { lean } from './lean/definition.ts';
import { python } from './python/definition.ts';

/** Every language, in the order in which they are offered. A new one is its folder here, one in `images`, and a line. */
export const LANGUAGES = [python, lean] as const;
