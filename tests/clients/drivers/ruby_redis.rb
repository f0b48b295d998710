# ruby-redis: ruby_redis.rb HOST PORT PASSWORD_PORT PASSWORD

require "redis"

HOST, PORT, PASSWORD_PORT, PASSWORD = ARGV
ALL_BYTES = (0..255).to_a.pack("C*")
OTHER_BYTES = ALL_BYTES[0..-2] + "\xFE".b

def connect(port = PORT, **options)
  Redis.new(host: HOST, port: port.to_i, timeout: 30, reconnect_attempts: 0, **options)
end

def hit(redis, key, hits, limit, *options)
  redis.call("GUB.HIT", "requests_per_sec", key, hits, limit, "60s", *options)
end

def recipe(host, port)
  # recipe
  gub = Redis.new(host: host, port: port, reconnect_attempts: 0) # 0: no hit is sent again
  status, remaining, reset = gub.call("GUB.HIT", "logins", "user:42", 1, 5, "1h")
  # end of recipe
  [status, remaining, reset]
end

def equal(got, want)
  raise "got #{got.inspect[0, 300]}, not #{want.inspect[0, 300]}" if got != want
end

def fails(text)
  reply = yield
rescue Redis::BaseError => e
  raise "the error is #{e.message}, not #{text}" unless e.message.include?(text)
else
  raise "no error, but #{reply.inspect}"
end

# That these answer the first hits on a key, in order.
def first_hits(replies, limit)
  want = (0...replies.size).map { |i| i < limit ? [0, limit - 1 - i] : [1, 0] }
  equal(replies.map { |reply| reply.first(2) }, want)
end

def connect_resp2
  redis = connect
  equal(redis.ping, "PONG")
  equal(hit(redis, "connect", 0, 10, "FULL").size, 14)
end

def three_hits
  redis = connect
  replies = Array.new(3) { hit(redis, "hit", 1, 10) }
  first_hits(replies, 10)
  ahead = replies.last[2] - (Time.now.to_f * 1000)
  raise "the reset is #{ahead} ms ahead" unless ahead.positive? && ahead <= 61_000
  equal(hit(redis, "hit", 100, 10).first(2), [1, 7])
  equal(recipe(HOST, PORT.to_i).first(2), [0, 4])
end

def pipeline
  replies = connect.pipelined { |pipe| 1000.times { hit(pipe, "pipeline", 1, 600) } }
  equal(replies.size, 1000)
  first_hits(replies, 600)
end

def transaction
  redis = connect
  replies = redis.multi { |multi| 3.times { hit(multi, "transaction", 1, 10) } }
  equal(replies.size, 3)
  first_hits(replies, 10)
  fails("ERR wrong number of arguments for 'gub.hit' command") do
    redis.multi do |multi|
      hit(multi, "transaction", 1, 10)
      multi.call("GUB.HIT", "n")
    end
  end
  equal(hit(redis, "transaction", 0, 10).first(2), [0, 7])
end

def auth
  fails("NOAUTH Authentication required") { hit(connect(PASSWORD_PORT), "auth", 1, 10) }
  fails("WRONGPASS") { hit(connect(PASSWORD_PORT, password: "wrong"), "auth", 1, 10) }
  right = connect(PASSWORD_PORT, password: PASSWORD)
  user = connect(PASSWORD_PORT, username: "default", password: PASSWORD)
  first_hits([right, user].map { |redis| hit(redis, "auth", 1, 10) }, 10)
end

def error_reply
  redis = connect
  begin
    reply = redis.call("GUB.HIT", "n", "k", 1, -1, "1s")
    raise "no error, but #{reply}"
  rescue Redis::CommandError => e
    equal(e.message, "ERR limit must not be negative")
  end
  equal(redis.ping, "PONG")
end

def binary_key
  redis = connect
  first_hits(Array.new(2) { hit(redis, ALL_BYTES, 1, 10) }, 10)
  first_hits([hit(redis, OTHER_BYTES, 1, 10)], 10)
end

# Twenty threads with a connection and fifty hits each.
def concurrent
  threads = Array.new(20) do
    Thread.new do
      redis = connect
      Array.new(50) { hit(redis, "concurrent", 1, 500).first }
    end
  end
  equal(threads.flat_map(&:value).count(0), 500)
end

def report(name, check)
  send(check)
  puts "#{name} ok"
rescue StandardError => e
  puts "#{name} FAIL #{e.class}: #{e.message.split.join(' ')}"
end

Thread.report_on_exception = false
$stdout.sync = true
puts "version #{Redis::VERSION}"
report("connect-resp2", :connect_resp2)
report("hit", :three_hits)
report("pipeline", :pipeline)
report("transaction", :transaction)
report("auth", :auth)
report("error-reply", :error_reply)
report("binary-key", :binary_key)
report("concurrent", :concurrent)
