import type { JsonLimits } from '../base/jsonOutline.ts';
import { type ReadJson, readJson } from '../base/readJson.ts';
import type { Steps } from '../base/slices.ts';

/**
 * Bounds of what a client may send. Python's own reader of JSON accepts a thousand levels. What a run returns as `state`
 * has at most 100,000 values and can be sent back.
 */
const LIMITS: JsonLimits = { depth: 500, values: 120_000, topMembers: 1_000, loneSurrogates: true };

/** Parses a client's message in pieces. */
export function parseMessage(json: Buffer): Steps<ReadJson> {
  return readJson(json, LIMITS);
}
