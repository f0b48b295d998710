# Perl's Redis.pm: perl_redis.pl HOST PORT PASSWORD_PORT PASSWORD
use strict;
use warnings;
use Redis;
use Time::HiRes qw(time);

my ($host, $port, $password_port, $password) = @ARGV;
my $all_bytes = join '', map { chr } 0 .. 255;
my $HIT = 'GUB.HIT';
$| = 1;

sub connection {
  my ($to_port, @options) = @_;
  return Redis->new(
    server => "$host:$to_port", cnx_timeout => 30, read_timeout => 30, write_timeout => 30,
    @options);
}

sub hit {
  my ($redis, $key, $hits, $limit, @callback) = @_;
  return $redis->$HIT('requests_per_sec', $key, $hits, $limit, '60s', @callback);
}

sub recipe {
  my ($host, $port) = @_;
  # recipe
  my $gub = Redis->new(server => "$host:$port");    # no hit is sent again
  my $hit = 'GUB.HIT';                              # the dot needs a method name in a variable
  my ($status, $remaining, $reset) = $gub->$hit('logins', 'user:42', 1, 5, '1h');
  # end of recipe
  return "$status $remaining";
}

sub equal {
  my ($got, $want) = @_;
  die "got '$got', not '$want'\n" if $got ne $want;
}

sub fails {
  my ($call, $text) = @_;
  my $error = eval { $call->(); 1 } ? 'no error' : $@;
  die "the error is '$error', not '$text'\n" if index($error, $text) < 0;
}

# That these answer the first hits on a key, in order.
sub first_hits {
  my ($limit, @replies) = @_;
  for my $i (0 .. $#replies) {
    my $want = $i < $limit ? '0 ' . ($limit - 1 - $i) : '1 0';
    equal("$replies[$i][0] $replies[$i][1]", $want);
  }
}

# Twenty processes with fifty hits each; how many were admitted.
sub hits_of_processes {
  my @pipes;
  for (1 .. 20) {
    my $child = open(my $pipe, '-|') // die "fork: $!\n";
    if ($child == 0) {
      my $redis = connection($port);
      print scalar(grep { (hit($redis, 'concurrent', 1, 500))[0] == 0 } 1 .. 50), "\n";
      exit 0;
    }
    push @pipes, $pipe;
  }
  my $admitted = 0;
  for my $pipe (@pipes) {
    $admitted += <$pipe> // die "a process failed\n";
    close($pipe) or die "a process failed\n";
  }
  return $admitted;
}

my @checks = (
  'connect-resp2' => sub {
    my $redis = connection($port);
    equal($redis->ping, 'PONG');
    equal(scalar(my @full = $redis->$HIT('n', 'connect', 0, 10, '60s', 'FULL')), 14);
  },
  'hit' => sub {
    my $redis = connection($port);
    my @replies = map { [hit($redis, 'hit', 1, 10)] } 1 .. 3;
    first_hits(10, @replies);
    my $ahead = $replies[2][2] - time * 1000;
    die "the reset is $ahead ms ahead\n" unless $ahead > 0 && $ahead <= 61000;
    equal(join(' ', (hit($redis, 'hit', 100, 10))[0, 1]), '1 7');
    equal(recipe($host, $port), '0 4');
  },
  'pipeline' => sub {
    my $redis = connection($port);
    my @replies;
    hit($redis, 'pipeline', 1, 600, sub { push @replies, $_[0] }) for 1 .. 1000;
    $redis->wait_all_responses;
    equal(scalar(@replies), 1000);
    first_hits(600, @replies);
  },
  'transaction' => sub {
    my $redis = connection($port);
    $redis->multi;
    hit($redis, 'transaction', 1, 10) for 1 .. 3;
    my @replies = $redis->exec;
    equal(scalar(@replies), 3);
    first_hits(10, @replies);
    $redis->multi;
    hit($redis, 'transaction', 1, 10);
    fails(sub { $redis->$HIT('n') }, "ERR wrong number of arguments for 'gub.hit' command");
    fails(sub { $redis->exec }, 'EXECABORT Transaction discarded because of previous errors');
    equal(join(' ', (hit($redis, 'transaction', 0, 10))[0, 1]), '0 7');
  },
  'auth' => sub {
    my @user = (username => 'default');
    fails(sub { hit(connection($password_port), 'auth', 1, 10) }, 'NOAUTH Authentication required');
    fails(sub { connection($password_port, password => 'wrong') }, 'WRONGPASS');
    fails(sub { connection($password_port, @user, password => 'wrong') }, 'WRONGPASS');
    my $right = connection($password_port, password => $password);
    my $named = connection($password_port, @user, password => $password);
    first_hits(10, map { [hit($_, 'auth', 1, 10)] } $right, $named);
  },
  'error-reply' => sub {
    my $redis = connection($port);
    fails(sub { $redis->$HIT('n', 'k', 1, -1, '1s') }, 'ERR limit must not be negative,');
    equal($redis->ping, 'PONG');
  },
  'binary-key' => sub {
    my $redis = connection($port);
    first_hits(10, map { [hit($redis, $all_bytes, 1, 10)] } 1 .. 2);
    (my $other_bytes = $all_bytes) =~ s/\xff\z/\xfe/;
    first_hits(10, [hit($redis, $other_bytes, 1, 10)]);
  },
  'concurrent' => sub { equal(hits_of_processes(), 500) },
);

print "version $Redis::VERSION\n";
while (my ($name, $check) = splice @checks, 0, 2) {
  my $passed = eval { $check->(); 1 };
  (my $reason = $@) =~ s/\s+/ /g;
  print $passed ? "$name ok\n" : "$name FAIL $reason\n";
}
