import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { MAX_ROBOTS_BYTES, parseRobots } from "./robots.ts";

const SITE = "https://site.example";

function allowed(robots: string | Uint8Array, path: string, agent = "Fisher"): boolean {
  return parseRobots(robots).test(SITE + path, agent).allowed;
}

/** Checks lists of paths against the rules of one agent. */
function checkPaths(rules: string, yes: string[], no: string[]): void {
  for (const path of yes) assert.ok(allowed(`user-agent: Fisher\n${rules}`, path), `${path} should be allowed`);
  for (const path of no) assert.ok(!allowed(`user-agent: Fisher\n${rules}`, path), `${path} should be disallowed`);
}

describe("lines", () => {
  test("an empty file, or one of unknown lines, allows everything", () => {
    assert.ok(allowed("", "/"));
    assert.ok(allowed("who: Fisher\nwhat: /\n", "/x"));
    assert.ok(allowed("<!DOCTYPE html><html><body>\nDisallow: / \n<p>User-agent: *</p>\nDisallow: /</body>", "/x"));
  });

  test("names of lines are in any case, may be misspelt, and may lack the colon", () => {
    for (const key of [
      "disallow",
      "DISALLOW",
      "DisAllow",
      "dissallow",
      "dissalow",
      "disalow",
      "diasllow",
      "disallaw",
    ]) {
      assert.ok(!allowed(`user-agent: Fisher\n${key}: /x\n`, "/x"), key);
    }
    for (const key of ["User-Agent", "useragent", "user agent"]) {
      assert.ok(!allowed(`${key}: Fisher\ndisallow: /\n`, "/x"), key);
    }
    assert.ok(!allowed("user-agent Fisher\ndisallow /\n", "/x"));
    assert.ok(allowed("user-agent Fisher\ndisallow /x y\n", "/x"), "three words are not a line");
  });

  test("line ends of every kind, and line numbers", () => {
    for (const end of ["\n", "\r", "\r\n"]) {
      const text = ["User-agent: Fisher", "Allow: /a", "", "# comment", "Disallow: /x # why", "Disallow: /y"].join(end);
      const robots = parseRobots(text);
      assert.deepEqual(robots.test(`${SITE}/x`, "Fisher"), {
        allowed: false,
        line: 5,
        rule: "Disallow: /x",
        group: "Fisher",
      });
      assert.equal(robots.test(`${SITE}/y`, "Fisher").line, 6);
    }
    assert.equal(parseRobots("a\r\n\n\r\rUser-agent: *\nDisallow: /").test(SITE, "Fisher").line, 6);
  });

  test("a byte order mark, whole or broken off, is skipped at the start only", () => {
    const rest = Buffer.from("User-agent: Fisher\nDisallow: /\n");
    for (const mark of [[0xef, 0xbb, 0xbf], [0xef, 0xbb], [0xef]]) {
      assert.ok(!allowed(Buffer.concat([Buffer.from(mark), rest]), "/"), mark.join(" "));
    }
    assert.ok(allowed(Buffer.concat([Buffer.from([0xef, 0x11, 0xbf]), rest]), "/"));
    assert.ok(!allowed("\ufeffUser-agent: Fisher\nDisallow: /", "/"));
    assert.ok(allowed("User-agent: Fisher\n\ufeffDisallow: /", "/"));
  });

  test("a long line is cut at 16,664 octets; text beyond 500 KiB is not read", () => {
    const long = `/x/${"a".repeat(16_664 - 3 - "disallow: ".length + 1)}`;
    checkPaths(`disallow: ${long}/qux`, ["/fux"], [`${long.slice(0, -2)}/fux`, `${long}/qux`]);
    checkPaths(`disallow: /\nallow: ${long}/qux`, [`${long}/fux`], ["/"]);
    const filler = "#".repeat(MAX_ROBOTS_BYTES);
    assert.ok(allowed(`${filler}\nUser-agent: *\nDisallow: /`, "/"));
    assert.ok(!allowed(`User-agent: *\nDisallow: /\n${filler}`, "/"));
    for (const mark of ["", "\ufeff"]) {
      const head = "User-agent: *\n#";
      const cutAt = (rest: string) => mark + head + "#".repeat(MAX_ROBOTS_BYTES - head.length - rest.length);
      const cut = `${cutAt("\nDisallow: /")}\nDisallow: /private/`;
      assert.ok(allowed(cut, "/open"), "half a line is ignored");
      assert.ok(allowed(Buffer.from(cut), "/open"));
      assert.ok(!allowed(`${cutAt("\nDisallow: /")}\nDisallow: /`, "/open"), "a whole one at the very end is read");
    }
  });
});

describe("groups", () => {
  test("rules before the first group apply to no agent; groups of one agent are combined", () => {
    const text = [
      ...["allow: /lost/", "user-agent: Fisher", "disallow: /", "allow: /x/", "user-agent: Netter", "disallow: /"],
      ...["allow: /y/", "", "allow: /w/", "user-agent: Angler", "", "user-agent: FISHER", "allow: /z/", "disallow: /"],
    ].join("\n");
    assert.ok(allowed(text, "/x/b", "Fisher"));
    assert.ok(allowed(text, "/z/d", "Fisher"));
    assert.ok(!allowed(text, "/y/c", "Fisher"));
    assert.ok(allowed(text, "/y/c", "Netter"));
    assert.ok(allowed(text, "/w/a", "Netter"));
    assert.ok(!allowed(text, "/z/d", "Netter"));
    assert.ok(allowed(text, "/z/d", "Angler"));
    for (const agent of ["Fisher", "Netter", "Angler"]) assert.ok(!allowed(text, "/lost/", agent), agent);
  });

  test("other lines, unknown ones and sitemaps, do not end a list of agents (RFC 9309, 2.2.4)", () => {
    for (const line of ["Sitemap: https://site.example/s.xml", "Unknown: x", "Crawl-delay: 5", "", "# c"]) {
      const text = `User-agent: Netter\n${line}\nUser-agent: *\nDisallow: /\n`;
      assert.ok(!allowed(text, "/", "Netter"), line);
      assert.ok(!allowed(text, "/", "Fisher"), line);
    }
  });

  test("an agent is identified by its product token, in any case, up to the first other character", () => {
    const text = "User-agent: *\nDisallow: /\nUser-agent: FiSher Two/2.1\nAllow: /x/\nDisallow: /\n";
    for (const agent of ["Fisher", "fisher", "FISHER/3.0", "Fisher (+https://fisher.example)"]) {
      assert.ok(allowed(text, "/x/y", agent), agent);
      assert.equal(parseRobots(text).test(`${SITE}/x/y`, agent).group, "FiSher");
    }
    assert.ok(!allowed(text, "/x/y", "Fish"), "a shorter token is another agent");
    assert.ok(!allowed(text, "/x/y", "FisherTwo"), "and so is a longer one");
    assert.ok(!allowed(text, "/x/y", ""));
    assert.ok(allowed("User-agent: Fisher\nDisallow: /", "/", ""), "no agent, no group");
    assert.ok(allowed("User-agent: 123\nDisallow: /", "/", ""), "a line without a token names nobody");
  });

  test("the group for all agents applies only to agents without a group of their own", () => {
    const text = "user-agent: *\nallow: /\nuser-agent: Fisher\ndisallow: /\nuser-agent: Netter\ndisallow:\n";
    assert.ok(!allowed(text, "/x", "Fisher"));
    assert.ok(allowed(text, "/x", "Angler"));
    assert.ok(allowed("user-agent: *\ndisallow: /\nuser-agent: Netter\ndisallow:\n", "/x", "Netter"));
    assert.ok(!allowed("User-agent: * and more\nDisallow: /", "/x"), "a star before a space is everybody");
    assert.ok(allowed("User-agent: *more\nDisallow: /", "/x"));
    assert.equal(parseRobots("User-agent: Netter\nDisallow: /").test(`${SITE}/x`, "Fisher").group, null);
    assert.equal(parseRobots("User-agent: *\nDisallow: /y").test(`${SITE}/x`, "Fisher").group, "*");
  });
});

describe("precedence", () => {
  test("the longest rule wins, and Allow wins a tie", () => {
    checkPaths("disallow: /x/page.html\nallow: /x/", ["/x/"], ["/x/page.html"]);
    checkPaths("allow: /x/page.html\ndisallow: /x/", ["/x/page.html"], ["/x/"]);
    checkPaths("disallow:\nallow:", ["/x"], []);
    checkPaths("disallow: /\nallow: /", ["/x"], []);
    checkPaths("disallow: /x\nallow: /x/", ["/x/"], ["/x"]);
    checkPaths("allow: /page\ndisallow: /*.html", ["/page"], ["/page.html"]);
    checkPaths("allow: /x/page.\ndisallow: /*.html", ["/x/page.html"], ["/x/y.html"]);
    checkPaths("allow: /p\ndisallow: /", ["/page"], ["/"]);
    checkPaths("allow: /folder\ndisallow: /folder", ["/folder/page"], []);
    checkPaths("allow: /$\ndisallow: /", ["/", ""], ["/page.htm"]);
  });

  test("RFC 9309, 5.1 and 5.2", () => {
    const simple = [
      ...["User-Agent: *", "Disallow: *.gif$", "Disallow: /example/", "Allow: /publications/", ""],
      ...["User-Agent: foobot", "Disallow:/", "Allow:/example/page.html", "Allow:/example/allowed.gif", ""],
      ...["User-Agent: barbot", "User-Agent: bazbot", "Disallow: /example/page.html", "", "User-Agent: quxbot"],
    ].join("\n");
    assert.ok(!allowed(simple, "/a.gif"));
    assert.ok(allowed(simple, "/a.gif?x"));
    assert.ok(!allowed(simple, "/example/x"));
    assert.ok(allowed(simple, "/publications/x"));
    assert.ok(allowed(simple, "/example/allowed.gif", "foobot"));
    assert.ok(!allowed(simple, "/other", "foobot"));
    for (const agent of ["barbot", "bazbot"]) assert.ok(!allowed(simple, "/example/page.html", agent));
    assert.ok(allowed(simple, "/example/page.html", "quxbot"));
    checkPaths(
      "Allow: /example/page/\nDisallow: /example/page/disallowed.gif",
      ["/example/page/x"],
      ["/example/page/disallowed.gif"],
    );
  });

  test("paths are compared in their case, from their start", () => {
    const yes = ["/fish", "/fish.html", "/fish/salmon.html", "/fishheads/yummy.html", "/fish.html?id=anything"];
    const no = ["/bar", "/Fish.asp", "/catfish", "/?id=fish"];
    checkPaths("disallow: /\nallow: /fish", yes, no);
    checkPaths("disallow: /\nallow: /fish*", yes, no);
    checkPaths("disallow: /\nallow: /fish/", ["/fish/", "/fish/?salmon"], ["/fish", "/fish.html", "/Fish/Salmon.html"]);
    checkPaths("disallow: fish\ndisallow: https://site.example/x", ["/fish", "fish", "/x"], []);
  });

  test("stars and the end mark", () => {
    const files = ["/filename.php", "/folder/filename.php"];
    checkPaths(
      "disallow: /\nallow: /*.php",
      [...files, "/f.php?x", "//folder/any.php.file.html", "/f.php/", "/index?f=filename.php/"],
      ["/", "/windows.PHP", "/php/", "/index?php"],
    );
    checkPaths("disallow: /\nallow: /*.php$", files, ["/f.php?x", "/f.php/", "/f.php5", "/x?php", "/windows.PHP"]);
    checkPaths("disallow: /\nallow: /fish*.php", ["/fish.php", "/fishheads/catfish.php?x"], ["/Fish.PHP"]);
    checkPaths("disallow: /foo/bar$\nallow: /foo/bar/qux", ["/foo/bar/", "/foo/bar/qux"], ["/foo/bar"]);
    checkPaths("disallow: /a$b", ["/a", "/ab"], ["/a$b", "/a$bc"]);
    checkPaths("disallow: /foo/quz#qux\nallow: /", ["/foo/bar"], ["/foo/quz"]);
    checkPaths("disallow: *x", ["/y"], ["/x", "/yx"]);
    checkPaths("disallow: /a*a$", ["/a"], ["/aa", "/aba"]);
  });

  test("special characters are matched literally when encoded (RFC 9309, 2.2.3)", () => {
    checkPaths(
      "disallow: /file-with-a-%2A.html",
      ["/file-with-a-b.html"],
      ["/file-with-a-*.html", "/file-with-a-%2a.html"],
    );
    checkPaths("disallow: /foo-%24", ["/foo-"], ["/foo-$", "/foo-%24"]);
  });

  test("a rule that allows index.html allows its folder", () => {
    checkPaths("allow: /open/index.html\ndisallow: /", ["/open/", "/open/index.html"], ["/open/index.htm", "/other"]);
    checkPaths("disallow: /shut/index.html", ["/shut/"], ["/shut/index.html"]);
  });

  test("robots.txt itself can always be read", () => {
    checkPaths("disallow: /", ["/robots.txt"], ["/robots.txt2", "/a/robots.txt"]);
  });
});

describe("encodings", () => {
  test("both sides are percent-encoded alike", () => {
    const no = ["/foo/bar/ツ", "/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"];
    checkPaths("disallow: /foo/bar/ツ", ["/foo/bar/"], no);
    checkPaths("disallow: /foo/bar/%e3%83%84", ["/foo/bar/"], no);
    checkPaths("disallow: /a b/{x}", ["/a"], ["/a%20b/%7Bx%7D"]);
    checkPaths("disallow: /à", ["/"], ["/%C3%A0"]);
    checkPaths("disallow: /x?q=http://y.example?z&w", [], ["/x?q=http://y.example?z&w"]);
    checkPaths("disallow: /a%2Fb", ["/a/b"], ["/a%2fb"]);
  });

  test("encoded unreserved characters are plain ones (RFC 9309, 2.2.2)", () => {
    checkPaths("disallow: /foo/bar/%62%61%7A", [], ["/foo/bar/baz", "/foo/bar/%62%61%7A"]);
    checkPaths("disallow: /~joe", [], ["/%7Ejoe/x"]);
  });

  test("a file that is not UTF-8 keeps its octets", () => {
    assert.ok(!allowed(Buffer.from("User-agent: *\nDisallow: /caf\xe9", "latin1"), "/caf%E9"));
  });

  test("addresses without a path, or with a fragment", () => {
    const robots = parseRobots("User-agent: *\nDisallow: /\nAllow: /$\nAllow: /?a$\nAllow: /p$");
    for (const url of ["https://e.example", "https://e.example/#x", "https://e.example?a", "https://e.example/p#/q"]) {
      assert.ok(robots.test(url, "x").allowed, url);
    }
    assert.ok(!robots.test("https://e.example?b", "x").allowed);
  });
});

describe("other lines", () => {
  test("sitemaps are gathered from anywhere, once each", () => {
    const line = "Sitemap: https://site.example/é.xml";
    const text = `${line}\nUser-agent: *\nsite-map: /two.xml # c\nDisallow: /\n${line}\nSitemap:\n`;
    assert.deepEqual(parseRobots(text).sitemaps, ["https://site.example/é.xml", "/two.xml"]);
  });

  test("crawl delays belong to the agents named just before, are numbers, and have a cap", () => {
    const robots = parseRobots(
      [
        ...["User-agent: a", "Crawl-delay: 2.5", "User-agent: b", "User-agent: c", "Disallow: /x", "crawl-delay: 10"],
        ...["User-agent: d", "Crawl-delay: soon", "User-agent: e", "Crawl-delay: 1e9", "Crawl-delay: 99999"],
        ...["User-agent: *", "Crawl-delay: 1"],
      ].join("\n"),
    );
    const delays = ["a", "b", "c", "d", "e", "f"].map((agent) => robots.crawlDelay(agent));
    assert.deepEqual(delays, [2.5, 10, 10, null, 300, 1]);
  });
});

describe("hostile files", () => {
  test("any octets are read without an error, and answer the same twice", () => {
    const piece = fc.constantFrom(
      "user-agent:",
      "*",
      "disallow:",
      "allow: /",
      "/a",
      "$",
      "%",
      "%4",
      "#",
      "\n",
      "\r",
      " ",
      "é",
      ":",
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
      fc.string({ unit: "binary" }),
    );
    const input = fc.oneof(text, fc.uint8Array());
    fc.assert(
      fc.property(input, fc.string({ unit: "binary" }), fc.string(), (file, path, agent) => {
        const url = `${SITE}/${path}`;
        assert.deepEqual(parseRobots(file).test(url, agent), parseRobots(file).test(url, agent));
      }),
      { numRuns: 500 },
    );
  });

  const rule = fc.record({
    allow: fc.boolean(),
    path: fc
      .array(fc.constantFrom("/", "a", "b", "*", "$", "/x"), { maxLength: 5 })
      .map((parts) => `/${parts.join("")}`),
  });
  const path = fc.array(fc.constantFrom("/", "a", "b", "x"), { maxLength: 6 }).map((parts) => `/${parts.join("")}`);
  type Rule = { allow: boolean; path: string };
  const fileOf = (rules: Rule[]) =>
    `User-agent: *\n${rules.map((line) => `${line.allow ? "Allow" : "Disallow"}: ${line.path}\n`).join("")}`;

  test("rules equal a plain statement of the standard by regular expressions", () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 6 }), path, (rules, url) => {
        const matching = rules.filter(({ path: pattern }) => {
          const source = pattern.replace(/\$(?=.)/g, "\\$").replace(/\*/g, ".*");
          return new RegExp(`^${source}`).test(url);
        });
        const longest = Math.max(0, ...matching.map((line) => line.path.length));
        const deciding = matching.filter((line) => line.path.length === longest);
        const expected = deciding.length === 0 || deciding.some((line) => line.allow);
        assert.equal(allowed(fileOf(rules), url), expected);
      }),
      { numRuns: 3000 },
    );
  });

  test("one more Allow never forbids, one more Disallow never permits", () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 6 }), rule, path, (rules, more, url) => {
        const before = allowed(fileOf(rules), url);
        const after = allowed(fileOf([...rules, more]), url);
        if (more.allow) assert.ok(after || !before);
        else assert.ok(before || !after);
      }),
      { numRuns: 2000 },
    );
  });

  test("many agents with many rules share them", () => {
    const agents = Array.from(
      { length: 15_000 },
      (_, index) => `User-agent: ${index.toString(2).replace(/0/g, "a").replace(/1/g, "b")}\n`,
    );
    const file = `${agents.join("").slice(0, 200_000)}\n${"Disallow: /x\nCrawl-delay: 3\n".repeat(8_000)}`;
    const robots = parseRobots(file);
    assert.equal(robots.test(`${SITE}/x`, "ba").allowed, false);
    assert.equal(robots.crawlDelay("ba"), 3);
  });

  test("beyond 2,000 starred rules a file is read strictly", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `Allow: /*x${index}\n`).join("");
    assert.ok(allowed(`User-agent: *\n${many}`, "/y"));
    assert.ok(!allowed(`User-agent: *\n${many}Disallow: /*z\n`, "/y"));
  });
});
