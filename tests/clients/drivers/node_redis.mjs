// node-redis: node node_redis.mjs HOST PORT PASSWORD_PORT PASSWORD

import { readFileSync } from "node:fs";
import { createClient } from "redis";
import {
  admitted, allBytes, arityError, contains, equal, errorOf, firstHits, host, limitError,
  otherBytes, password, passwordPort, port, report, resetWithin,
} from "./check.mjs";

const { version } = JSON.parse(readFileSync("node_modules/redis/package.json", "utf8"));
const hasResp3 = Number(version.split(".")[0]) >= 5;

async function connected(toPort, options = {}) {
  const redis = createClient({
    socket: { host, port: toPort, connectTimeout: 30000, reconnectStrategy: false }, ...options,
  });
  redis.on("error", () => {});
  await redis.connect();
  return redis;
}

const words = (key, hits, limit, ...options) =>
  ["GUB.HIT", "requests_per_sec", key, `${hits}`, `${limit}`, "60s", ...options];
const hit = (redis, ...rest) => redis.sendCommand(words(...rest));

async function recipe(host, port) {
  // recipe
  const gub = createClient({ socket: { host, port } }); // no hit is sent again
  gub.on("error", console.error);
  await gub.connect();
  const [status, remaining, reset] =
    await gub.sendCommand(["GUB.HIT", "logins", "user:42", "1", "5", "1h"]);
  // end of recipe
  return [status, remaining, reset];
}

async function connectResp2() {
  const redis = await connected(port, hasResp3 ? { RESP: 2 } : {});
  equal(await redis.ping(), "PONG");
  equal((await hit(redis, "connect", 0, 10, "FULL")).length, 14);
}

async function connectResp3() {
  const redis = await connected(port, { RESP: 3 });
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

async function pipeline() {
  const pipe = (await connected(port)).multi();
  for (let i = 0; i < 1000; ++i) pipe.addCommand(words("pipeline", 1, 600));
  const replies = await pipe.execAsPipeline();
  equal(replies.length, 1000);
  firstHits(replies, 600);
}

async function transaction() {
  const redis = await connected(port);
  const good = redis.multi();
  for (let i = 0; i < 3; ++i) good.addCommand(words("transaction", 1, 10));
  const replies = await good.exec();
  equal(replies.length, 3);
  firstHits(replies, 10);
  const bad = redis.multi().addCommand(words("transaction", 1, 10)).addCommand(["GUB.HIT", "n"]);
  const error = await errorOf(bad.exec());
  if (error !== arityError) contains(error, "EXECABORT Transaction discarded");
  equal((await hit(redis, "transaction", 0, 10)).slice(0, 2), [0, 7]);
}

async function auth() {
  const connectAndHit = async (options) =>
    hit(await connected(passwordPort, options), "auth", 1, 10);
  contains(await errorOf(connectAndHit({})), "NOAUTH ");
  contains(await errorOf(connectAndHit({ password: "wrong" })), "WRONGPASS ");
  firstHits([await connectAndHit({ password }),
    await connectAndHit({ username: "default", password })], 10);
}

async function errorReply() {
  const redis = await connected(port);
  equal(await errorOf(redis.sendCommand(["GUB.HIT", "n", "k", "1", "-1", "1s"])), limitError);
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
