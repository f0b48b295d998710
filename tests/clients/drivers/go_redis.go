// go-redis: go_redis HOST PORT PASSWORD_PORT PASSWORD
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	host, port, passwordPort, password = os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	ctx, cancel                        = context.WithTimeout(context.Background(), 2*time.Minute)
)

const (
	limitError = "ERR limit must not be negative"
	arityError = "ERR wrong number of arguments for 'gub.hit' command"
)

func connect(options redis.Options) *redis.Client {
	if options.Addr == "" {
		options.Addr = net.JoinHostPort(host, port)
	}
	options.MaxRetries = -1
	return redis.NewClient(&options)
}

func words(key any, hits, limit int, options ...any) []any {
	return append([]any{"GUB.HIT", "requests_per_sec", key, hits, limit, "60s"}, options...)
}

func hit(client *redis.Client, key any, hits, limit int) ([]int64, error) {
	return client.Do(ctx, words(key, hits, limit)...).Int64Slice()
}

func recipe(addr string) (admitted bool, remaining int64, err error) {
	// recipe
	gub := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1}) // -1: no hit is sent again
	reply, err := gub.Do(ctx, "GUB.HIT", "logins", "user:42", 1, 5, "1h").Int64Slice()
	if err == nil {
		admitted, remaining = reply[0] == 0, reply[1] // and reply[2]: reset
	}
	// end of recipe
	return admitted, remaining, err
}

func equal(got, want any) error {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("got %.300v, not %.300v", got, want)
	}
	return nil
}

func contains(err error, text string) error {
	if err == nil || !strings.Contains(err.Error(), text) {
		return fmt.Errorf("the error is '%v', not '%s'", err, text)
	}
	return nil
}

// wantHit says what is wrong with a reply, for which err stands when there is none.
func wantHit(reply []int64, err error, status, remaining int64) error {
	if err != nil {
		return err
	}
	if len(reply) != 3 {
		return fmt.Errorf("got %v, not three integers", reply)
	}
	return equal(reply[:2], []int64{status, remaining})
}

// firstHits says whether these answer the first hits on a key, in order.
func firstHits(commands []redis.Cmder, limit int64) error {
	for i, command := range commands {
		reply, err := command.(*redis.Cmd).Int64Slice()
		status, remaining := int64(0), limit-1-int64(i)
		if remaining < 0 {
			status, remaining = 1, 0
		}
		if err := wantHit(reply, err, status, remaining); err != nil {
			return err
		}
	}
	return nil
}

func connectResp2() error {
	client := connect(redis.Options{Protocol: 2})
	if err := client.Ping(ctx).Err(); err != nil {
		return err
	}
	reply, err := client.Do(ctx, words("connect", 0, 10, "FULL")...).Slice()
	return errors.Join(err, equal(len(reply), 14))
}

func connectResp3() error {
	client := connect(redis.Options{Protocol: 3})
	if err := client.Ping(ctx).Err(); err != nil {
		return err
	}
	reply, err := client.Do(ctx, words("connect", 0, 10, "FULL")...).Result()
	if err != nil {
		return err
	}
	full, isMap := reply.(map[any]any)
	return equal([]any{isMap, full["status"], full["remaining"]}, []any{true, 0, 10})
}

func threeHits() error {
	client := connect(redis.Options{})
	for i := range int64(3) {
		reply, err := hit(client, "hit", 1, 10)
		if err := wantHit(reply, err, 0, 9-i); err != nil {
			return err
		}
		if ahead := reply[2] - time.Now().UnixMilli(); ahead <= 0 || ahead > 61000 {
			return fmt.Errorf("the reset is %d ms ahead", ahead)
		}
	}
	reply, err := hit(client, "hit", 100, 10)
	if err := wantHit(reply, err, 1, 7); err != nil {
		return err
	}
	admitted, remaining, err := recipe(net.JoinHostPort(host, port))
	return errors.Join(err, equal([]any{admitted, remaining}, []any{true, 4}))
}

func pipeline() error {
	commands, err := connect(redis.Options{}).Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for range 1000 {
			pipe.Do(ctx, words("pipeline", 1, 600)...)
		}
		return nil
	})
	return errors.Join(err, equal(len(commands), 1000), firstHits(commands, 600))
}

func transaction() error {
	client := connect(redis.Options{})
	commands, err := client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		for range 3 {
			pipe.Do(ctx, words("transaction", 1, 10)...)
		}
		return nil
	})
	if err := errors.Join(err, equal(len(commands), 3), firstHits(commands, 10)); err != nil {
		return err
	}
	_, err = client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.Do(ctx, words("transaction", 1, 10)...)
		pipe.Do(ctx, "GUB.HIT", "n")
		return nil
	})
	if contains(err, arityError) != nil && contains(err, "EXECABORT Transaction discarded") != nil {
		return fmt.Errorf("the error is '%v'", err)
	}
	reply, err := hit(client, "transaction", 0, 10)
	return wantHit(reply, err, 0, 7)
}

func auth() error {
	addr := net.JoinHostPort(host, passwordPort)
	_, none := hit(connect(redis.Options{Addr: addr}), "auth", 1, 10)
	_, wrong := hit(connect(redis.Options{Addr: addr, Password: "wrong"}), "auth", 1, 10)
	if err := errors.Join(contains(none, "NOAUTH "), contains(wrong, "WRONGPASS ")); err != nil {
		return err
	}
	reply, err := hit(connect(redis.Options{Addr: addr, Password: password}), "auth", 1, 10)
	if err := wantHit(reply, err, 0, 9); err != nil {
		return err
	}
	user := connect(redis.Options{Addr: addr, Username: "default", Password: password})
	reply, err = hit(user, "auth", 1, 10)
	return wantHit(reply, err, 0, 8)
}

func errorReply() error {
	client := connect(redis.Options{})
	err := client.Do(ctx, "GUB.HIT", "n", "k", 1, -1, "1s").Err()
	var reply redis.Error
	if !errors.As(err, &reply) || reply.Error() != limitError {
		return fmt.Errorf("the error is '%v'", err)
	}
	return client.Ping(ctx).Err()
}

func binaryKey() error {
	client := connect(redis.Options{})
	key := make([]byte, 256)
	for i := range key {
		key[i] = byte(i)
	}
	other := bytes.Clone(key)
	other[255] = 254
	for i, key := range [][]byte{key, key, other} {
		reply, err := hit(client, key, 1, 10)
		if err := wantHit(reply, err, 0, []int64{9, 8, 9}[i]); err != nil {
			return err
		}
	}
	return nil
}

// concurrent hits from a thousand goroutines, over the client's pool.
func concurrent() error {
	client := connect(redis.Options{PoolSize: 50, PoolTimeout: time.Minute})
	var group sync.WaitGroup
	replies := make([][]int64, 1000)
	failures := make([]error, 1000)
	for i := range replies {
		group.Go(func() { replies[i], failures[i] = hit(client, "concurrent", 1, 500) })
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	admitted := 0
	for _, reply := range replies {
		if reply[0] == 0 {
			admitted++
		}
	}
	return equal(admitted, 500)
}

func report(name string, check func() error) {
	if err := check(); err != nil {
		fmt.Printf("%s FAIL %.300s\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
	} else {
		fmt.Printf("%s ok\n", name)
	}
}

func main() {
	defer cancel()
	fmt.Println("version", redis.Version())
	report("connect-resp2", connectResp2)
	report("connect-resp3", connectResp3)
	report("hit", threeHits)
	report("pipeline", pipeline)
	report("transaction", transaction)
	report("auth", auth)
	report("error-reply", errorReply)
	report("binary-key", binaryKey)
	report("concurrent", concurrent)
}
