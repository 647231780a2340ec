import type { JsonLimits } from '../base/jsonOutline.ts';
import { type ReadJson, readJson } from '../base/readJson.ts';
import type { Steps } from '../base/slices.ts';

/**
 * Limits of a client's message. Python's JSON parser accepts 1,000 levels. The `state` that a run returns has at most
 * 100,000 values, so it can be sent back.
 */
const LIMITS: JsonLimits = { depth: 500, values: 120_000, topMembers: 1_000, loneSurrogates: true };

/** Parses a client's message in steps that do not block the event loop. */
export function parseMessage(json: Buffer): Steps<ReadJson> {
  return readJson(json, LIMITS);
}
