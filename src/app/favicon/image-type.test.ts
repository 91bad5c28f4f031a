import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { imageType } from "./image-type.ts";

const latin = (text: string) => Buffer.from(text, "latin1");

test("image type: by the first bytes", () => {
  const cases: [Buffer, ReturnType<typeof imageType>][] = [
    [latin("\x89PNG\r\n\x1a\n\x00"), "image/png"],
    [latin("\xff\xd8\xff\xe0"), "image/jpeg"],
    [latin("GIF89a..."), "image/gif"],
    [latin("RIFF\x10\x00\x00\x00WEBPVP8 "), "image/webp"],
    [latin("\x00\x00\x00\x20ftypavif"), "image/avif"],
    [latin("BM6\x00"), "image/bmp"],
    [latin("\x00\x00\x01\x00\x01\x00"), "image/x-icon"],
    [latin("RIFF\x10\x00\x00\x00WAVE"), null],
    [latin("%PDF-1.7"), null],
    [latin(""), null],
  ];
  for (const [bytes, type] of cases) assert.equal(imageType(bytes), type, bytes.toString("latin1"));
});

test("image type: SVG behind declarations and comments, and no HTML that contains one", () => {
  const svgs = [
    "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "\ufeff<?xml version='1.0'?>\n<!-- a > b --><!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x'>\n<svg>",
  ];
  for (const svg of svgs) assert.equal(imageType(Buffer.from(svg)), "image/svg+xml", svg);
  const others = ["<!doctype html><title>x</title><svg>", "<html><svg>", "<svgx>", "<!-- <svg> ", "x<svg>"];
  for (const other of others) assert.equal(imageType(Buffer.from(other)), null, other);
});

test("image type: never throws, whatever the bytes", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void imageType(Buffer.from(bytes))));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("<", "!", "-", "?", ">", "svg", " ")),
      (parts) => void imageType(Buffer.from(parts.join(""))),
    ),
  );
});
