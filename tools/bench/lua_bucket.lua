-- The token bucket that Gub is compared with, by EVALSHA on a redis-server.
-- KEYS[1] the bucket; ARGV: capacity, refill per second, cost, now in ms
local capacity, refill = tonumber(ARGV[1]), tonumber(ARGV[2])
local cost, now = tonumber(ARGV[3]), tonumber(ARGV[4])
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'time')
local tokens = tonumber(bucket[1]) or capacity
local elapsed = math.max(0, now - (tonumber(bucket[2]) or now))
tokens = math.min(capacity, tokens + elapsed * refill / 1000)
local allowed = 0
if tokens >= cost then
  tokens = tokens - cost
  allowed = 1
end
redis.call('HMSET', KEYS[1], 'tokens', tokens, 'time', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(capacity / refill * 1000))
return {allowed, math.floor(tokens)}
