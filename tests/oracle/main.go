// Answers questions with the libraries of Argo CD: one JSON line in, one JSON line out, in the same order.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log"
	"math"
	"os"
	"runtime"
)

var answers = map[string]func(question []byte) (any, error){
	"order": order,
	"yaml":  parseYAML,
	"split": splitYAML,
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 || answers[os.Args[1]] == nil {
		log.Fatal("usage: oracle order|yaml|split")
	}
	if err := answerAll(os.Stdin, os.Stdout, answers[os.Args[1]]); err != nil {
		log.Fatal(err)
	}
}

// answerAll answers the lines in parallel; the capacity of the channel bounds how many at a time.
func answerAll(in io.Reader, out io.Writer, answer func([]byte) (any, error)) error {
	pending := make(chan chan any, 2*runtime.GOMAXPROCS(0))
	go func() {
		defer close(pending)
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, math.MaxInt)
		for lines.Scan() {
			line := bytes.Clone(lines.Bytes())
			result := make(chan any, 1)
			pending <- result
			go func() { result <- orError(answer(line)) }()
		}
	}()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for result := range pending {
		if err := encoder.Encode(<-result); err != nil {
			return err
		}
	}
	return nil
}

func orError(answer any, err error) any {
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	return answer
}
