//! spider on one host: crawl <start URL> <pages> <parallelism> <output file>
use scraper::{Html, Selector};
use spider::website::Website;
use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::time::Instant;
use url::Url;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let pages: u32 = arguments[2].parse().unwrap();
    let parallelism: usize = arguments[3].parse().unwrap();
    let mut output = BufWriter::with_capacity(1 << 20, std::fs::File::create(&arguments[4]).unwrap());
    let mut website = Website::new(&arguments[1]);
    website
        .with_respect_robots_txt(true)
        .with_concurrency_limit(Some(parallelism))
        .with_limit(pages)
        .with_delay(0);
    // Large enough that no page is dropped while another is read.
    let mut received = website.subscribe(65_536);
    let began = Instant::now();
    let reader = tokio::spawn(async move {
        let titles = Selector::parse("title").unwrap();
        let anchors = Selector::parse("a[href]").unwrap();
        let (mut count, mut link_count) = (0, 0);
        while let Ok(page) = received.recv().await {
            let document = Html::parse_document(&page.get_html());
            let base = Url::parse(page.get_url()).unwrap();
            let title = document.select(&titles).next().map(|title| title.text().collect::<String>());
            let mut seen = HashSet::new();
            let links: Vec<String> = document
                .select(&anchors)
                .filter_map(|anchor| base.join(anchor.value().attr("href")?).ok())
                .map(String::from)
                .filter(|target| seen.insert(target.clone()))
                .collect();
            count += 1;
            link_count += links.len();
            let row = serde_json::json!({
                "url": page.get_url(), "status": page.status_code.as_u16(), "title": title, "links": links,
            });
            writeln!(output, "{row}").unwrap();
        }
        output.flush().unwrap();
        (count, link_count)
    });
    website.crawl().await;
    website.unsubscribe();
    // The channel closes with its last sender.
    drop(website);
    let (count, link_count) = reader.await.unwrap();
    let seconds = began.elapsed().as_secs_f64();
    println!("{{\"pages\":{count},\"seconds\":{seconds},\"links\":{link_count}}}");
}
