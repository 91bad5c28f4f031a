/** 200,000 keys as a crawl meets them: long, and different only in a few characters somewhere. */
export function* similarKeys(): Generator<string> {
  for (let i = 0; i < 50_000; i++) yield `https://www.example.com/shop/category/item-${i}.html`;
  for (let i = 0; i < 50_000; i++) yield `https://www.example.com/calendar?year=${i % 500}&month=${i % 12}&page=${i}`;
  for (let i = 0; i < 50_000; i++) yield `https://h${i}.example.com/`;
  for (let i = 0; i < 25_000; i++) yield `https://www.example.com/${"a/".repeat(i % 100)}${i.toString(2)}`;
  for (let i = 0; i < 25_000; i++) yield `https://www.example.com/${String.fromCodePoint(0x4e00 + i)}`;
}
