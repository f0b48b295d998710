<?php
// phpredis: php_redis.php HOST PORT PASSWORD_PORT PASSWORD

[, $host, $port, $passwordPort, $password] = $argv;

function connection($port, $auth = null): Redis
{
    global $host;
    $redis = new Redis();
    $redis->connect($host, (int) $port, 30, null, 0, 30);
    if ($auth !== null) {
        $redis->auth($auth);
    }
    return $redis;
}

function hit($redis, $key, $hits, $limit, ...$options)
{
    $arguments = ['requests_per_sec', $key, $hits, $limit, '60s', ...$options];
    return $redis->rawCommand('GUB.HIT', ...$arguments);
}

function recipe($host, $port)
{
    // recipe
    $gub = new Redis();
    $gub->connect($host, $port); // no hit is sent again
    [$status, $remaining, $reset] = $gub->rawCommand('GUB.HIT', 'logins', 'user:42', 1, 5, '1h');
    // end of recipe
    return [$status, $remaining];
}

function equal($got, $want)
{
    if ($got !== $want) {
        throw new Exception('got ' . json_encode($got) . ', not ' . json_encode($want));
    }
}

// That these answer the first hits on a key, in order.
function firstHits(array $replies, int $limit)
{
    foreach ($replies as $i => $reply) {
        equal(array_slice($reply, 0, 2), $i < $limit ? [0, $limit - 1 - $i] : [1, 0]);
    }
}

// phpredis keeps the text of an error reply and answers false, or throws.
function fails(Redis $redis, callable $call, string $text)
{
    try {
        $error = 'no error, but ' . json_encode($call());
    } catch (RedisException $exception) {
        $error = $exception->getMessage();
    }
    $error = $redis->getLastError() ?? $error;
    if (!str_contains($error, $text)) {
        throw new Exception("the error is '$error', not '$text'");
    }
    $redis->clearLastError();
}

function connectResp2()
{
    global $port;
    $redis = connection($port);
    equal($redis->ping(), true);
    equal(count(hit($redis, 'connect', 0, 10, 'FULL')), 14);
}

function threeHits()
{
    global $host, $port;
    $redis = connection($port);
    $replies = [hit($redis, 'hit', 1, 10), hit($redis, 'hit', 1, 10), hit($redis, 'hit', 1, 10)];
    firstHits($replies, 10);
    $ahead = $replies[2][2] - microtime(true) * 1000;
    if ($ahead <= 0 || $ahead > 61000) {
        throw new Exception("the reset is $ahead ms ahead");
    }
    equal(array_slice(hit($redis, 'hit', 100, 10), 0, 2), [1, 7]);
    equal(recipe($host, (int) $port), [0, 4]);
}

function pipeline()
{
    global $port;
    $pipe = connection($port)->pipeline();
    for ($i = 0; $i < 1000; $i++) {
        hit($pipe, 'pipeline', 1, 600);
    }
    $replies = $pipe->exec();
    equal(count($replies), 1000);
    firstHits($replies, 600);
}

function transaction()
{
    global $port;
    $redis = connection($port);
    $multi = $redis->multi();
    for ($i = 0; $i < 3; $i++) {
        hit($multi, 'transaction', 1, 10);
    }
    $replies = $multi->exec();
    equal(count($replies), 3);
    firstHits($replies, 10);
    $multi = $redis->multi();
    hit($multi, 'transaction', 1, 10);
    equal($multi->rawCommand('GUB.HIT', 'n'), false);
    equal(trim($redis->getLastError()), "ERR wrong number of arguments for 'gub.hit' command");
    // After an error like that, exec() drops EXECABORT and waits for a reply that never comes.
    $redis->setOption(Redis::OPT_READ_TIMEOUT, 0.5);
    fails($redis, fn() => $redis->exec(), 'wrong number of arguments');
    equal(array_slice(hit(connection($port), 'transaction', 0, 10), 0, 2), [0, 7]);
}

function auth()
{
    global $passwordPort, $password;
    $redis = connection($passwordPort);
    fails($redis, fn() => hit($redis, 'auth', 1, 10), 'NOAUTH Authentication required');
    fails($redis, fn() => $redis->auth('wrong'), 'WRONGPASS');
    $right = connection($passwordPort, $password);
    $user = connection($passwordPort, ['default', $password]);
    firstHits([hit($right, 'auth', 1, 10), hit($user, 'auth', 1, 10)], 10);
}

function errorReply()
{
    global $port;
    $redis = connection($port);
    equal($redis->rawCommand('GUB.HIT', 'n', 'k', 1, -1, '1s'), false);
    equal($redis->getLastError(), 'ERR limit must not be negative');
    equal($redis->ping(), true);
}

function binaryKey()
{
    global $port;
    $redis = connection($port);
    $all = implode('', array_map('chr', range(0, 255)));
    firstHits([hit($redis, $all, 1, 10), hit($redis, $all, 1, 10)], 10);
    firstHits([hit($redis, substr($all, 0, 255) . "\xfe", 1, 10)], 10);
}

// Twenty processes with fifty hits each.
function concurrent()
{
    global $host, $port;
    $command = [PHP_BINARY, __FILE__, $host, $port, '0', 'fifty hits'];
    $processes = [];
    for ($i = 0; $i < 20; $i++) {
        $pipes = [];
        $processes[] = [proc_open($command, [1 => ['pipe', 'w']], $pipes), $pipes[1]];
    }
    $output = '';
    foreach ($processes as [$process, $pipe]) {
        $output .= stream_get_contents($pipe);
        equal(proc_close($process), 0);
    }
    equal(count_chars($output)[ord('0')], 500);
    equal(count_chars($output)[ord('1')], 500);
}

function fiftyHits($port)
{
    $redis = connection($port);
    for ($i = 0; $i < 50; $i++) {
        echo hit($redis, 'concurrent', 1, 500)[0];
    }
}

if ($password === 'fifty hits') {
    fiftyHits($port);
    exit(0);
}
echo 'version ', phpversion('redis'), "\n";
$checks = [
    'connect-resp2' => 'connectResp2', 'hit' => 'threeHits', 'pipeline' => 'pipeline',
    'transaction' => 'transaction', 'auth' => 'auth', 'error-reply' => 'errorReply',
    'binary-key' => 'binaryKey', 'concurrent' => 'concurrent',
];
foreach ($checks as $name => $check) {
    try {
        $check();
        echo "$name ok\n";
    } catch (Throwable $error) {
        echo "$name FAIL ", preg_replace('/\s+/', ' ', $error->getMessage()), "\n";
    }
}
