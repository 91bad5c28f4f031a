"""Scrapy as an archive of a code host, with the files that Trawl writes: python archive.py <job as JSON>

Job: start, allow, deny (patterns), parallelism, folder. Stores blobs by SHA-256, one metadata line per page, and
edges; the queue is on disk (JOBDIR), breadth first, so that it can be resumed.
Nothing is synced: that is how such scrapers are usually written, and it takes half the time.
"""

import csv
import hashlib
import json
import os
import re
import sys
import time
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse

job = json.loads(sys.argv[1])
folder = job["folder"]
allow = re.compile("|".join(f"(?:{pattern})" for pattern in job["allow"]))
deny = re.compile("|".join(f"(?:{pattern})" for pattern in job["deny"]))
host = urlsplit(job["start"]).netloc
totals = {"pages": 0, "links": 0}
for name in ("metadata", "logs"):
    os.makedirs(os.path.join(folder, name), exist_ok=True)
metadata = open(os.path.join(folder, "metadata/crawl_metadata.jsonl"), "a", encoding="utf-8")
edges_file = open(os.path.join(folder, "logs/edges.csv"), "a", encoding="utf-8", newline="")
edges = csv.writer(edges_file)
edges.writerow(["src", "dst", "depth"])


def canonical(url):
    parts = urlsplit(url)
    path = re.sub("/{2,}", "/", parts.path).rstrip("/") or "/"
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{path}"


def store(body):
    sha = hashlib.sha256(body).hexdigest()
    path = os.path.join(folder, "store/html", sha[:2], sha[2:4], f"{sha}.html")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.tmp", "wb") as file:
            file.write(body)
        os.replace(f"{path}.tmp", path)
    return sha, path


def text(response, name):
    return response.headers.get(name, b"").decode("latin-1")


class Archive(scrapy.Spider):
    name = "archive"
    start_urls = [job["start"]]

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        depth = response.meta.get("depth", 0)
        sha, path = store(response.body)
        record = {
            "url": response.url,
            "timestamp": int(time.time()),
            "depth": depth,
            "page_type": "",
            "referrer": response.request.headers.get("Referer", b"").decode("latin-1") or None,
            "http_status": response.status,
            "content_type": text(response, "Content-Type"),
            "encoding": response.encoding,
            "content_sha256": sha,
            "content_bytes": len(response.body),
            "stored_path": path,
            "etag": text(response, "ETag"),
            "last_modified": text(response, "Last-Modified"),
            "fetch_latency_ms": response.meta["download_latency"] * 1000,
            "retries": response.meta.get("retry_times", 0),
            "proxy_id": None,
            "metadata": {},
        }
        metadata.write(json.dumps(record) + "\n")
        metadata.flush()
        totals["pages"] += 1
        links = dict.fromkeys(canonical(response.urljoin(href)) for href in response.xpath("//a/@href").getall())
        totals["links"] += len(links)
        for url in links:
            if urlsplit(url).netloc == host and not deny.search(url) and allow.search(url):
                edges.writerow([response.url, url, depth + 1])
                yield scrapy.Request(url)


process = CrawlerProcess(
    {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": job["parallelism"],
        "CONCURRENT_REQUESTS_PER_DOMAIN": job["parallelism"],
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "WARNING",
        "JOBDIR": os.path.join(folder, "state"),
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    }
)
process.crawl(Archive)
began = time.perf_counter()
process.start()
metadata.close()
edges_file.close()
print(json.dumps({**totals, "seconds": time.perf_counter() - began}))
