/** Example queries. Each runs as it is. */

export interface SqlExample {
  title: string;
  sql: string;
}

export const SQL_EXAMPLES: readonly SqlExample[] = [
  {
    title: "Answers by status",
    sql: `SELECT status, count(*) AS urls, round(avg(time_total)) AS mean_ms
FROM pages
GROUP BY status
ORDER BY urls DESC`,
  },
  {
    title: "Broken links and the pages they are on",
    sql: `SELECT status, target AS broken, source AS found_on, text AS link_text
FROM all_links
WHERE status >= 400
ORDER BY broken`,
  },
  {
    title: "Titles that several pages share",
    sql: `SELECT title, count(*) AS pages, min(url) AS one_of_them
FROM all_urls
WHERE status = 200 AND title <> ''
GROUP BY title
HAVING pages > 1
ORDER BY pages DESC`,
  },
  {
    title: "Pages with the same content",
    sql: `SELECT content_hash, count(*) AS pages, group_concat(url, '  ') AS urls
FROM all_urls
WHERE duplicate = 'Yes'
GROUP BY content_hash
HAVING pages > 1
ORDER BY pages DESC`,
  },
  {
    title: "Most linked pages",
    sql: `SELECT target AS url, count(*) AS links, count(DISTINCT source) AS from_pages
FROM all_links
GROUP BY target
ORDER BY links DESC`,
  },
  {
    title: "Why URLs were not crawled",
    sql: `SELECT verdict, reason, rule, count(*) AS urls
FROM urls
WHERE verdict <> 'crawl'
GROUP BY verdict, reason, rule
ORDER BY urls DESC`,
  },
  {
    title: "Size and time by folder",
    sql: `SELECT substr(url, 1, instr(substr(url, 9), '/') + 8)
         || substr(substr(url, instr(substr(url, 9), '/') + 9), 1,
                   instr(substr(url, instr(substr(url, 9), '/') + 9) || '/', '/')) AS folder,
       count(*) AS pages, round(avg(time_total)) AS mean_ms, sum(size) AS bytes
FROM all_urls
GROUP BY folder
ORDER BY pages DESC`,
  },
];
