/** Two views of one page in the same notation, for tests: what our scanner says, and what parse5's tokenizer says. */

import { defaultTreeAdapter, Parser, Token } from "parse5";
import { DEFAULT_HTML_LIMITS, decodeText, type HtmlLimits, scanHtml } from "../index.ts";

class TokenLog {
  readonly tokens: string[] = [];
  #text = "";

  text(text: string): void {
    // The tree builder drops NUL in data and the tokenizer replaces it elsewhere; neither matters for facts.
    this.#text += text.replace(/[\0\uFFFD]/g, "");
  }

  token(token: string): void {
    this.end();
    this.tokens.push(token);
  }

  end(): void {
    if (this.#text !== "") this.tokens.push(JSON.stringify(this.#text));
    this.#text = "";
  }
}

function startTag(name: string, attributes: Iterable<readonly [string, string | null]>): string {
  return `<${name}${Array.from(attributes, ([key, value]) => ` ${key}=${JSON.stringify(value)}`).join("")}>`;
}

export function scannedTokens(html: string, limits: HtmlLimits = DEFAULT_HTML_LIMITS): string[] {
  const log = new TokenLog();
  scanHtml(
    html,
    {
      open: (tag, attributes) => log.token(startTag(tag.name, attributes.entries())),
      close: (tag) => log.token(`</${tag.name}>`),
      text(source, start, end, references) {
        const raw = source.text(start, end);
        log.text(references ? decodeText(raw) : raw.replace(/\r\n?/g, "\n"));
      },
    },
    limits,
  );
  log.end();
  return log.tokens;
}

/** The tokens as they leave parse5's tokenizer, while its tree builder controls it as the standard requires. */
export function parse5Tokens(html: string): string[] {
  const log = new TokenLog();
  const parser = new Parser({ scriptingEnabled: false, treeAdapter: defaultTreeAdapter });
  const tokenizer = parser.tokenizer as unknown as { handler: Record<string, (token: never) => void> };
  tokenizer.handler = new Proxy(tokenizer.handler, {
    get(handler, property: string) {
      if (!/^on.*(Tag|Character)$/.test(property)) return handler[property]?.bind(handler) ?? null;
      return (token: Token.Token) => {
        if (token.type === Token.TokenType.START_TAG) {
          log.token(
            startTag(
              token.tagName,
              token.attrs.map(({ name, value }) => [name, value]),
            ),
          );
        } else if (token.type === Token.TokenType.END_TAG) {
          log.token(`</${token.tagName}>`);
        } else if (property.endsWith("Character")) {
          log.text((token as Token.CharacterToken).chars);
        }
        handler[property]!.call(handler, token as never);
      };
    },
  });
  parser.tokenizer.write(html, true);
  log.end();
  return log.tokens;
}
