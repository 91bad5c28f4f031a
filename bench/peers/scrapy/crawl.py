"""Scrapy on one host: python crawl.py <start URL> <pages> <parallelism> <output file> [tuned]

As documented: links by LinkExtractor, and a job folder, which makes the crawl resumable.
Tuned: links by XPath, a quarter faster, and the queue in memory only.
"""

import json
import os
import sys
import time
from urllib.parse import urldefrag, urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

start, pages, parallelism, output = sys.argv[1:5]
tuned = "tuned" in sys.argv[5:]
extractor = None if tuned else LinkExtractor()
host = urlsplit(start).netloc
totals = {"pages": 0, "links": 0}


class Pages(scrapy.Spider):
    name = "pages"
    start_urls = [start]

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        if extractor is not None:
            links = [link.url for link in extractor.extract_links(response)]
        else:
            links = list(dict.fromkeys(map(response.urljoin, response.xpath("//a/@href").getall())))
        totals["pages"] += 1
        totals["links"] += len(links)
        yield {
            "url": response.url,
            "status": response.status,
            "title": response.xpath("//title/text()").get(),
            "links": links,
        }
        for url in dict.fromkeys(urldefrag(link).url for link in links):
            if urlsplit(url).netloc == host:
                yield scrapy.Request(url)


process = CrawlerProcess(
    {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": int(parallelism),
        "CONCURRENT_REQUESTS_PER_DOMAIN": int(parallelism),
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "WARNING",
        "CLOSESPIDER_PAGECOUNT": int(pages),
        "FEEDS": {output: {"format": "jsonlines"}},
        "JOBDIR": None if tuned else os.path.join(os.path.dirname(output), "job"),
    }
)
process.crawl(Pages)
began = time.perf_counter()
process.start()
print(json.dumps({**totals, "seconds": time.perf_counter() - began}))
