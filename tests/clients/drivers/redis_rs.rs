//! redis-rs: redis_rs HOST PORT PASSWORD_PORT PASSWORD

use redis::{Client, Connection, RedisResult, Value};
use std::error::Error;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

type Checked = Result<(), Box<dyn Error>>;
type Hit = (i64, i64, i64);

const TIMEOUT: Duration = Duration::from_secs(30);
const LIMIT_ERROR: &str = "limit must not be negative";
const ARITY_ERROR: &str = "wrong number of arguments for 'gub.hit' command";

struct Checks {
    host: String,
    port: String,
    password_port: String,
    password: String,
}

fn equal<T: PartialEq + std::fmt::Debug>(got: T, want: T) -> Checked {
    if got == want {
        return Ok(());
    }
    Err(format!("got {got:?}, not {want:?}").into())
}

fn fails<T>(result: RedisResult<T>, code: &str, text: &str) -> Checked {
    match result {
        Ok(_) => Err(format!("no error, not '{text}'").into()),
        Err(error) if error.code() == Some(code) && error.to_string().contains(text) => Ok(()),
        Err(error) => Err(format!("the error is '{error}', not '{code} {text}'").into()),
    }
}

/// That these answer the first hits on a key, in order.
fn first_hits(replies: &[Hit], limit: i64) -> Checked {
    for (reply, i) in replies.iter().zip(0..) {
        let want = if i < limit { (0, limit - 1 - i) } else { (1, 0) };
        equal((reply.0, reply.1), want)?;
    }
    Ok(())
}

fn connect(url: String) -> RedisResult<Connection> {
    let connection = Client::open(url)?.get_connection_with_timeout(TIMEOUT)?;
    connection.set_read_timeout(Some(TIMEOUT))?;
    Ok(connection)
}

fn command(key: &[u8], hits: i64, limit: i64) -> redis::Cmd {
    let mut command = redis::cmd("GUB.HIT");
    command.arg("requests_per_sec").arg(key).arg(hits).arg(limit).arg("60s");
    command
}

fn hit(connection: &mut Connection, key: &[u8], hits: i64, limit: i64) -> RedisResult<Hit> {
    command(key, hits, limit).query(connection)
}

fn recipe(url: &str) -> RedisResult<Hit> {
    // recipe
    let mut gub = redis::Client::open(url)?.get_connection()?; // no hit is sent again
    let (status, remaining, reset): (i64, i64, i64) = redis::cmd("GUB.HIT")
        .arg("logins").arg("user:42").arg(1).arg(5).arg("1h")
        .query(&mut gub)?;
    // end of recipe
    Ok((status, remaining, reset))
}

impl Checks {
    fn url(&self) -> String {
        format!("redis://{}:{}", self.host, self.port)
    }

    fn full(&self, connection: &mut Connection) -> RedisResult<Value> {
        redis::cmd("PING").query::<()>(connection)?;
        command(b"connect", 0, 10).arg("FULL").query(connection)
    }

    fn connect_resp2(&self) -> Checked {
        let reply = self.full(&mut connect(self.url())?)?;
        equal(matches!(reply, Value::Array(elements) if elements.len() == 14), true)
    }

    fn connect_resp3(&self) -> Checked {
        let reply = self.full(&mut connect(self.url() + "?protocol=resp3")?)?;
        equal(matches!(reply, Value::Map(pairs) if pairs.len() == 7), true)
    }

    fn hit(&self) -> Checked {
        let mut connection = connect(self.url())?;
        let mut replies = Vec::new();
        for _ in 0..3 {
            replies.push(hit(&mut connection, b"hit", 1, 10)?);
        }
        first_hits(&replies, 10)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as i64;
        equal(replies.iter().all(|reply| now < reply.2 && reply.2 <= now + 61000), true)?;
        let (status, remaining, _) = hit(&mut connection, b"hit", 100, 10)?;
        equal((status, remaining), (1, 7))?;
        first_hits(&[recipe(&self.url())?], 5)
    }

    fn pipeline(&self) -> Checked {
        let mut pipe = redis::pipe();
        for _ in 0..1000 {
            pipe.add_command(command(b"pipeline", 1, 600));
        }
        let replies: Vec<Hit> = pipe.query(&mut connect(self.url())?)?;
        equal(replies.len(), 1000)?;
        first_hits(&replies, 600)
    }

    fn transaction(&self) -> Checked {
        let mut connection = connect(self.url())?;
        let mut good = redis::pipe();
        good.atomic();
        for _ in 0..3 {
            good.add_command(command(b"transaction", 1, 10));
        }
        let replies: Vec<Hit> = good.query(&mut connection)?;
        equal(replies.len(), 3)?;
        first_hits(&replies, 10)?;
        let mut bad = redis::pipe();
        bad.atomic().add_command(command(b"transaction", 1, 10)).cmd("GUB.HIT").arg("n");
        let result: RedisResult<Value> = bad.query(&mut connection);
        let error = format!("{:?}", result.err().ok_or("no error")?);
        equal(error.contains(ARITY_ERROR) || error.contains("EXECABORT"), true)?;
        let (status, remaining, _) = hit(&mut connection, b"transaction", 0, 10)?;
        equal((status, remaining), (0, 7))
    }

    /// A hit on the server with a password; `user` is what stands before the @ of the URL.
    fn hit_as(&self, user: &str) -> RedisResult<Hit> {
        let url = format!("redis://{user}{}:{}", self.host, self.password_port);
        hit(&mut connect(url)?, b"auth", 1, 10)
    }

    fn auth(&self) -> Checked {
        fails(self.hit_as(""), "NOAUTH", "Authentication required")?;
        let wrong = self.hit_as(":wrong@").err().ok_or("no error")?;
        let text = format!("{wrong:?}");
        if !text.contains("AuthenticationFailed") && !text.contains("WRONGPASS") {
            return Err(format!("the error is {text}").into());
        }
        let right = self.hit_as(&format!(":{}@", self.password))?;
        let user = self.hit_as(&format!("default:{}@", self.password))?;
        first_hits(&[right, user], 10)
    }

    fn error_reply(&self) -> Checked {
        let mut connection = connect(self.url())?;
        let mut command = redis::cmd("GUB.HIT");
        command.arg("n").arg("k").arg(1).arg(-1).arg("1s");
        fails(command.query::<Value>(&mut connection), "ERR", LIMIT_ERROR)?;
        equal(redis::cmd("PING").query::<String>(&mut connection)?, "PONG".to_string())
    }

    fn binary_key(&self) -> Checked {
        let mut connection = connect(self.url())?;
        let mut key: Vec<u8> = (0..=255).collect();
        let first = hit(&mut connection, &key, 1, 10)?;
        let second = hit(&mut connection, &key, 1, 10)?;
        first_hits(&[first, second], 10)?;
        key[255] = 254;
        first_hits(&[hit(&mut connection, &key, 1, 10)?], 10)
    }

    /// Twenty threads with a connection and fifty hits each.
    fn concurrent(&self) -> Checked {
        let threads: Vec<_> = (0..20)
            .map(|_| {
                let url = self.url();
                thread::spawn(move || -> RedisResult<i64> {
                    let mut connection = connect(url)?;
                    let mut denied = 0;
                    for _ in 0..50 {
                        denied += hit(&mut connection, b"concurrent", 1, 500)?.0;
                    }
                    Ok(denied)
                })
            })
            .collect();
        let mut denied = 0;
        for thread in threads {
            denied += thread.join().map_err(|_| "a thread panicked")??;
        }
        equal(denied, 500)
    }
}

/// The library does not tell, but Cargo.lock does.
fn version() -> Option<String> {
    let lock = std::fs::read_to_string("Cargo.lock").ok()?;
    let (_, rest) = lock.split_once("name = \"redis\"\nversion = \"")?;
    Some(rest.split_once('"')?.0.to_string())
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let checks = Checks {
        host: arguments[1].clone(),
        port: arguments[2].clone(),
        password_port: arguments[3].clone(),
        password: arguments[4].clone(),
    };
    let all: [(&str, fn(&Checks) -> Checked); 9] = [
        ("connect-resp2", Checks::connect_resp2),
        ("connect-resp3", Checks::connect_resp3),
        ("hit", Checks::hit),
        ("pipeline", Checks::pipeline),
        ("transaction", Checks::transaction),
        ("auth", Checks::auth),
        ("error-reply", Checks::error_reply),
        ("binary-key", Checks::binary_key),
        ("concurrent", Checks::concurrent),
    ];
    println!("version {}", version().unwrap_or_else(|| "?".to_string()));
    for (name, check) in all {
        match check(&checks) {
            Ok(()) => println!("{name} ok"),
            Err(error) => println!("{name} FAIL {}", error.to_string().replace('\n', " ")),
        }
    }
}
