// Colly on one host: crawl <start URL> <pages> <parallelism> <output file>
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gocolly/colly/v2"
)

type row struct {
	URL    string   `json:"url"`
	Status int      `json:"status"`
	Title  string   `json:"title"`
	Links  []string `json:"links"`
}

func main() {
	start := os.Args[1]
	pages, _ := strconv.Atoi(os.Args[2])
	parallelism, _ := strconv.Atoi(os.Args[3])
	file, err := os.Create(os.Args[4])
	if err != nil {
		panic(err)
	}
	output := bufio.NewWriterSize(file, 1<<20)
	address, _ := url.Parse(start)
	host := address.Host

	var lock sync.Mutex
	count, linkCount := 0, 0

	collector := colly.NewCollector(colly.Async(true), colly.MaxRequests(uint32(pages)))
	collector.IgnoreRobotsTxt = false
	collector.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: parallelism})
	collector.OnHTML("html", func(page *colly.HTMLElement) {
		seen := map[string]bool{}
		wanted := map[string]bool{}
		links := []string{}
		page.DOM.Find("a[href]").Each(func(_ int, anchor *goquery.Selection) {
			// AbsoluteURL would leave out links within the page, which the others store.
			parsed, err := page.Request.URL.Parse(anchor.AttrOr("href", ""))
			if err != nil {
				return
			}
			target := parsed.String()
			if seen[target] {
				return
			}
			seen[target] = true
			links = append(links, target)
			if parsed.Host == host {
				parsed.Fragment = ""
				wanted[parsed.String()] = true
			}
		})
		line, _ := json.Marshal(row{page.Request.URL.String(), page.Response.StatusCode, page.DOM.Find("title").First().Text(), links})
		lock.Lock()
		count++
		linkCount += len(links)
		output.Write(line)
		output.WriteByte('\n')
		lock.Unlock()
		for target := range wanted {
			page.Request.Visit(target)
		}
	})
	began := time.Now()
	collector.Visit(start)
	collector.Wait()
	seconds := time.Since(began).Seconds()
	output.Flush()
	file.Close()
	fmt.Printf("{\"pages\":%d,\"seconds\":%f,\"links\":%d}\n", count, seconds, linkCount)
}
