import assert from "node:assert/strict";
import { test } from "node:test";
import { npmProgram } from "./npm.ts";

test("npm: started without a shell, on Windows too", () => {
  const execPath = "C:\\node\\node.exe";
  const windows = (PATH: string, script: string) =>
    npmProgram({ platform: "win32", env: { PATH }, execPath }, (path) => path === script);
  const onPath = "C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js";
  const besideNode = "C:\\node\\node_modules\\npm\\bin\\npm-cli.js";
  assert.deepEqual(windows("C:\\Windows;C:\\Program Files\\nodejs", onPath), [execPath, onPath]);
  assert.deepEqual(windows("C:\\Windows;;", besideNode), [execPath, besideNode]);
  assert.deepEqual(windows("", "nowhere"), ["npm"]);
  assert.deepEqual(npmProgram({ platform: "linux", env: {}, execPath: "/usr/bin/node" }), ["npm"]);
});
