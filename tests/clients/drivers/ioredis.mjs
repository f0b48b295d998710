// ioredis: node ioredis.mjs HOST PORT PASSWORD_PORT PASSWORD

import { readFileSync } from "node:fs";
import Redis from "ioredis";
import {
  admitted, allBytes, arityError, contains, equal, errorOf, firstHits, host, limitError,
  otherBytes, password, passwordPort, port, report, resetWithin,
} from "./check.mjs";

const { version } = JSON.parse(readFileSync("node_modules/ioredis/package.json", "utf8"));
const hasResp3 = Number(version.split(".")[0]) >= 6;

async function connected(toPort, options = {}) {
  const redis = new Redis({
    host, port: toPort, lazyConnect: true, connectTimeout: 30000, commandTimeout: 30000,
    maxRetriesPerRequest: 0, retryStrategy: null, ...options,
  });
  redis.errors = [];
  redis.on("error", (error) => redis.errors.push(error.message));
  await redis.connect().catch((error) => redis.errors.push(error.message));
  return redis;
}

const hit = (redis, key, hits, limit, ...options) =>
  redis.call("GUB.HIT", "requests_per_sec", key, hits, limit, "60s", ...options);

async function recipe(host, port) {
  // recipe
  const gub = new Redis({ host, port, maxRetriesPerRequest: 0 }); // 0: no hit is sent again
  gub.on("error", console.error);
  const [status, remaining, reset] =
    await gub.call("GUB.HIT", "logins", "user:42", 1, 5, "1h");
  // end of recipe
  gub.disconnect();
  return [status, remaining, reset];
}

async function connectResp2() {
  const redis = await connected(port, hasResp3 ? { protocol: 2 } : {});
  equal(await redis.ping(), "PONG");
  equal((await hit(redis, "connect", 0, 10, "FULL")).length, 14);
}

async function connectResp3() {
  const redis = await connected(port, { protocol: 3, replyMapping: "resp3" });
  equal(await redis.ping(), "PONG");
  const { status, remaining } = await hit(redis, "connect", 0, 10, "FULL");
  equal([status, remaining], [0, 10]);
}

async function threeHits() {
  const redis = await connected(port);
  const replies = [];
  for (let i = 0; i < 3; ++i) replies.push(await hit(redis, "hit", 1, 10));
  firstHits(replies, 10);
  for (const reply of replies) resetWithin(reply, 61);
  equal((await hit(redis, "hit", 100, 10)).slice(0, 2), [1, 7]);
  equal((await recipe(host, port)).slice(0, 2), [0, 4]);
}

// What exec() of a pipeline or a transaction gives: an error and a reply for each command.
const repliesOf = (results) => results.map(([error, reply]) => error ?? reply);

async function pipeline() {
  const pipe = (await connected(port)).pipeline();
  for (let i = 0; i < 1000; ++i) hit(pipe, "pipeline", 1, 600);
  const replies = repliesOf(await pipe.exec());
  equal(replies.length, 1000);
  firstHits(replies, 600);
}

async function transaction() {
  const redis = await connected(port);
  const good = redis.multi();
  for (let i = 0; i < 3; ++i) hit(good, "transaction", 1, 10);
  const replies = repliesOf(await good.exec());
  equal(replies.length, 3);
  firstHits(replies, 10);
  const bad = redis.multi();
  hit(bad, "transaction", 1, 10);
  bad.call("GUB.HIT", "n");
  const error = await bad.exec().then(() => new Error("no error"), (error) => error);
  contains(error.message, "EXECABORT Transaction discarded because of previous errors.");
  equal(error.previousErrors.map((previous) => previous.message), [arityError]);
  equal((await hit(redis, "transaction", 0, 10)).slice(0, 2), [0, 7]);
}

// The error of a hit, and of the handshake before it.
async function errorOfHit(options) {
  const redis = await connected(passwordPort, options);
  return [...redis.errors, await errorOf(hit(redis, "auth", 1, 10))].join(" | ");
}

async function auth() {
  contains(await errorOfHit({}), "NOAUTH ");
  contains(await errorOfHit({ password: "wrong" }), "WRONGPASS ");
  contains(await errorOfHit({ username: "default", password: "wrong" }), "WRONGPASS ");
  const right = await connected(passwordPort, { password });
  const user = await connected(passwordPort, { username: "default", password });
  firstHits([await hit(right, "auth", 1, 10), await hit(user, "auth", 1, 10)], 10);
  equal([right.errors, user.errors], [[], []]);
}

async function errorReply() {
  const redis = await connected(port);
  equal(await errorOf(redis.call("GUB.HIT", "n", "k", 1, -1, "1s")), limitError);
  equal(await redis.ping(), "PONG");
}

async function binaryKey() {
  const redis = await connected(port);
  firstHits([await hit(redis, allBytes, 1, 10), await hit(redis, allBytes, 1, 10)], 10);
  firstHits([await hit(redis, otherBytes, 1, 10)], 10);
}

async function concurrent() {
  const redis = await connected(port);
  const hits = Array.from({ length: 1000 }, () => hit(redis, "concurrent", 1, 500));
  equal(admitted(await Promise.all(hits)), 500);
}

console.log("version", version);
await report({
  "connect-resp2": connectResp2, ...(hasResp3 ? { "connect-resp3": connectResp3 } : {}),
  hit: threeHits, pipeline, transaction, auth, "error-reply": errorReply,
  "binary-key": binaryKey, concurrent,
});
process.exit(0);
