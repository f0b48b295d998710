// What the drivers for Node share: the arguments, and running checks with a line for each.

import { deepStrictEqual } from "node:assert";

const args = process.argv.slice(2);
export const host = args[0];
export const port = Number(args[1]);
export const passwordPort = Number(args[2]);
export const password = args[3];

export const allBytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
export const otherBytes = Buffer.concat([allBytes.subarray(0, 255), Buffer.from([254])]);
export const limitError = "ERR limit must not be negative";
export const arityError = "ERR wrong number of arguments for 'gub.hit' command";

export const equal = deepStrictEqual;

// The text of the error that a promise is rejected with.
export async function errorOf(promise) {
  let reply;
  try {
    reply = await promise;
  } catch (error) {
    return error.message;
  }
  throw new Error(`no error, but ${reply}`);
}

export function contains(error, text) {
  if (!error.includes(text)) throw new Error(`the error is '${error}', not '${text}'`);
}

// That these answer the first hits on a key: admitted in order up to the limit, then denied.
export function firstHits(replies, limit) {
  const want = replies.map((_, i) => (i < limit ? [0, limit - 1 - i] : [1, 0]));
  equal(replies.map((reply) => reply.slice(0, 2)), want);
}

export function resetWithin(reply, seconds) {
  const ahead = reply[2] - Date.now();
  if (!(ahead > 0 && ahead <= seconds * 1000)) throw new Error(`the reset is ${ahead} ms ahead`);
}

export const admitted = (replies) => replies.filter((reply) => reply[0] === 0).length;

// Runs checks, which are async functions that throw when they fail, one after the other.
export async function report(checks) {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`${name} ok`);
    } catch (error) {
      console.log(`${name} FAIL ${`${error.message}`.replace(/\s+/g, " ").slice(0, 300)}`);
    }
  }
}
