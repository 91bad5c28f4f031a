CREATE TABLE schema_versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
CREATE TABLE pages (
     id INTEGER PRIMARY KEY REFERENCES urls (id),
     fetched_at INTEGER NOT NULL,
     status INTEGER, error TEXT, error_detail TEXT,
     content_type TEXT, charset TEXT, charset_source TEXT, http_version TEXT, remote_address TEXT,
     size_wire INTEGER, size INTEGER, truncated TEXT, from_cache INTEGER NOT NULL,
     etag TEXT, last_modified TEXT,
     redirect_to INTEGER,
     indexable TEXT NOT NULL, indexability TEXT, robots_meta TEXT, robots_header TEXT, canonical INTEGER,
     language TEXT, title TEXT, title_count INTEGER, description TEXT,
     h1 TEXT, h1_count INTEGER, h2 TEXT, h2_count INTEGER,
     word_count INTEGER, text_length INTEGER, content_hash TEXT,
     link_count INTEGER, links_truncated INTEGER,
     time_dns REAL, time_connect REAL, time_tls REAL, time_first_byte REAL, time_download REAL, time_total REAL,
     time_render REAL,
     attempts INTEGER NOT NULL,
     headers TEXT,
     first_link INTEGER                -- rowid of its first link; its links are the rows from there on
   ) STRICT;
CREATE TABLE rendered (
     id INTEGER PRIMARY KEY REFERENCES urls (id),
     title TEXT, description TEXT, h1 TEXT, h1_count INTEGER, h2_count INTEGER, word_count INTEGER, content_hash TEXT,
     robots_meta TEXT, canonical TEXT, link_count INTEGER, final_url TEXT, redirected_to TEXT, settled INTEGER,
     requests INTEGER, requests_failed INTEGER, requests_blocked INTEGER, console_errors TEXT,
     time_navigate REAL, time_settle REAL
   ) STRICT;
CREATE TABLE links (
     id INTEGER PRIMARY KEY,
     source INTEGER NOT NULL, target INTEGER NOT NULL,
     type INTEGER NOT NULL, position INTEGER NOT NULL, flags INTEGER NOT NULL,
     text INTEGER NOT NULL, context INTEGER NOT NULL, path INTEGER NOT NULL   -- rows of texts; 0 for none
   ) STRICT;
CREATE TABLE texts (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE bodies (
     id INTEGER PRIMARY KEY REFERENCES urls (id),
     html BLOB NOT NULL                -- UTF-8, zstd
   ) STRICT;
CREATE TABLE urls (
     id INTEGER PRIMARY KEY,
     url TEXT NOT NULL,
     verdict TEXT NOT NULL,          -- crawl, record or skip
     reason TEXT,                    -- why it is not crawled
     rule TEXT,                      -- the setting or line that decided
     state TEXT,                     -- open, done or failed; null when there is nothing to fetch
     lane TEXT,
     place INTEGER NOT NULL,         -- in the queue
     depth INTEGER NOT NULL,
     parent INTEGER NOT NULL,        -- the url that found it first; 0 for a source
     via INTEGER NOT NULL,
     kind INTEGER NOT NULL,
     hops INTEGER NOT NULL,
     attempt INTEGER NOT NULL DEFAULT 0,
     not_before INTEGER NOT NULL DEFAULT 0
   ) STRICT;
CREATE TABLE lanes (key TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO schema_versions VALUES ('site', 2);
INSERT INTO schema_versions VALUES ('ledger', 1);
INSERT INTO pages VALUES (1, 1794944580302, 200, NULL, NULL, 'text/html', 'utf-8', 'default', '1.1', '127.0.0.1', 431, 431, NULL, 0, '"1"', NULL, NULL, 'Yes', NULL, NULL, NULL, NULL, 'en', 'Home', 1, 'The start', 'Welcome', 1, 'News', 1, 8, 45, 'e21f120000f61698fc6a72377016b031323aa4eb', 6, 0, 0.0, 0.0, 0.0, 1.3001650000001064, 0.087934000000132073, 9.6839530000002014, NULL, 1, '[["content-type","text/html"],["etag","\"1\""],["date","Tue, 17 Nov 2026 19:43:00 GMT"],["connection","keep-alive"],["keep-alive","timeout=5"],["transfer-encoding","chunked"]]', 1);
INSERT INTO pages VALUES (2, 1794944580308, 404, NULL, NULL, 'text/html', NULL, NULL, '1.1', '127.0.0.1', 93, 93, NULL, 0, NULL, NULL, NULL, 'No', 'client_error', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0.0, 8.1001389999996718, 0.0, 30.978262000000086, 0.043871999999737454, 39.399809999999889, NULL, 1, '[["content-type","text/html"],["date","Tue, 17 Nov 2026 19:43:00 GMT"],["connection","keep-alive"],["keep-alive","timeout=5"],["transfer-encoding","chunked"]]', NULL);
INSERT INTO pages VALUES (3, 1794944580477, 200, NULL, NULL, 'text/html', 'utf-8', 'default', '1.1', '127.0.0.1', 191, 191, NULL, 0, '"2"', NULL, NULL, 'No', 'canonicalised', NULL, NULL, 1, 'en', 'Two', 1, NULL, 'Two', 1, NULL, 0, 5, 25, '16f7faf79acf6f44110091253140c3b1408a959e', 3, 0, 0.0, 0.0, 0.0, 128.88098300000002, 0.046337000000221451, 132.66739600000028, NULL, 1, '[["content-type","text/html"],["etag","\"2\""],["date","Tue, 17 Nov 2026 19:43:00 GMT"],["connection","keep-alive"],["keep-alive","timeout=5"],["transfer-encoding","chunked"]]', 7);
INSERT INTO pages VALUES (4, 1794944580479, 200, NULL, NULL, 'text/html', 'utf-8', 'default', '1.1', '127.0.0.1', 143, 143, NULL, 0, NULL, NULL, NULL, 'No', 'noindex_header', NULL, 'noindex', NULL, 'en', 'Deutsch', 1, NULL, NULL, 0, NULL, 0, 1, 5, 'be04f412d069e678f4a39fdd4397d978f3dba44a', 1, 0, 0.0, 4.7644170000003214, 0.0, 169.61966100000018, 0.043380999999953929, 174.61021000000028, NULL, 1, '[["content-type","text/html"],["x-robots-tag","noindex"],["date","Tue, 17 Nov 2026 19:43:00 GMT"],["connection","keep-alive"],["keep-alive","timeout=5"],["transfer-encoding","chunked"]]', 10);
INSERT INTO pages VALUES (5, 1794944580480, 301, NULL, NULL, NULL, NULL, NULL, '1.1', '127.0.0.1', 0, 0, NULL, 0, NULL, NULL, 3, 'No', 'redirect', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0.0, 4.7615719999998873, 0.0, 44.716245999999956, 0.022272000000157277, 175.79623200000015, NULL, 1, '[["location","/two"],["date","Tue, 17 Nov 2026 19:43:00 GMT"],["connection","keep-alive"],["keep-alive","timeout=5"],["transfer-encoding","chunked"]]', NULL);
INSERT INTO links VALUES (1, 1, 3, 10, 5, 8, 0, 0, 1);
INSERT INTO links VALUES (2, 1, 4, 9, 5, 8, 0, 0, 1);
INSERT INTO links VALUES (3, 1, 3, 0, 4, 8, 2, 3, 4);
INSERT INTO links VALUES (4, 1, 5, 0, 4, 8, 5, 3, 4);
INSERT INTO links VALUES (5, 1, 6, 0, 4, 9, 6, 3, 4);
INSERT INTO links VALUES (6, 1, 7, 0, 4, 0, 7, 3, 4);
INSERT INTO links VALUES (7, 3, 1, 8, 5, 8, 0, 0, 1);
INSERT INTO links VALUES (8, 3, 1, 11, 5, 8, 0, 0, 1);
INSERT INTO links VALUES (9, 3, 1, 0, 4, 8, 8, 9, 4);
INSERT INTO links VALUES (10, 4, 3, 16, 5, 8, 0, 0, 10);
INSERT INTO texts VALUES (1, 'html/head/link');
INSERT INTO texts VALUES (2, 'Two');
INSERT INTO texts VALUES (3, 'Some words. Two Old Missing Away');
INSERT INTO texts VALUES (4, 'html/body/p/a');
INSERT INTO texts VALUES (5, 'Old');
INSERT INTO texts VALUES (6, 'Missing');
INSERT INTO texts VALUES (7, 'Away');
INSERT INTO texts VALUES (8, 'Home');
INSERT INTO texts VALUES (9, 'More words here. Home');
INSERT INTO texts VALUES (10, 'html/head/meta');
INSERT INTO urls VALUES (1, 'http://127.0.0.1:8471/', 'crawl', NULL, NULL, 'done', '127.0.0.1:8471', 1, 0, 0, 0, 19, 0, 0, 0);
INSERT INTO urls VALUES (2, 'http://127.0.0.1:8471/sitemap.xml', 'crawl', NULL, NULL, 'done', '127.0.0.1:8471', 2, 0, 0, 3, 20, 0, 0, 0);
INSERT INTO urls VALUES (3, 'http://127.0.0.1:8471/two', 'crawl', NULL, NULL, 'done', '127.0.0.1:8471', 3, 1, 1, 2, 10, 0, 0, 0);
INSERT INTO urls VALUES (4, 'http://127.0.0.1:8471/de', 'crawl', NULL, NULL, 'done', '127.0.0.1:8471', 4, 1, 1, 2, 9, 0, 0, 0);
INSERT INTO urls VALUES (5, 'http://127.0.0.1:8471/old', 'crawl', NULL, NULL, 'done', '127.0.0.1:8471', 5, 1, 1, 2, 0, 0, 0, 0);
INSERT INTO urls VALUES (6, 'http://127.0.0.1:8471/missing', 'skip', 'nofollow', 'followInternalNofollow', NULL, NULL, 6, 1, 1, 18, 0, 0, 0, 0);
INSERT INTO urls VALUES (7, 'https://elsewhere.example/', 'record', 'external', 'checkExternalLinks', NULL, NULL, 7, 1, 1, 2, 0, 0, 0, 0);
INSERT INTO lanes VALUES ('127.0.0.1:8471', '{"nextAt":1794944580304,"pace":1,"throttles":0,"throttledUntil":0,"streak":0,"blocks":0,"blockedUntil":0,"spent":6}');
INSERT INTO notes VALUES ('robots:http://127.0.0.1:8471', '{"kind":"allow-all","why":"robots.txt answered 404: there are no rules","text":"","expiresAt":1795030980133}');
CREATE INDEX urls_open ON urls (lane, place) WHERE state = 'open';
CREATE INDEX links_target ON links (target);
CREATE INDEX urls_url ON urls (url);
CREATE INDEX urls_parent ON urls (parent);
CREATE INDEX urls_reason ON urls (reason, rule, verdict) WHERE reason IS NOT NULL;
