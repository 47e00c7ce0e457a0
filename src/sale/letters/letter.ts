import type { Locale } from '../languages.ts'
import { type Html, html } from './html.ts'

/** The content of a mail. Every text is plain text: the two forms below escape and wrap it. */
export interface Letter {
  readonly subject: string
  readonly heading: string
  readonly paragraphs: readonly string[]
  /** Label and value. A value of another direction is isolated: see texts.ts. */
  readonly facts: readonly (readonly [label: string, value: string])[]
  readonly button: { readonly label: string; readonly url: string }
  readonly closing: readonly string[]
  readonly footer: string
}

/** Returns the letter as plain text. */
export function letterText({ heading, paragraphs, facts, button, closing, footer }: Letter): string {
  const blocks = [
    heading,
    ...paragraphs,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    `${button.label}:\n${button.url}`,
    ...closing,
    // The sign by which mail programs find the end of a text.
    `-- \n${footer}`,
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

/** Returns the letter as HTML, without scripts, images or files of any server. */
export function letterHtml(
  { subject, heading, paragraphs, facts, button, closing, footer }: Letter,
  { tag, direction }: Locale,
): string {
  const paragraph = (text: string): Html => html`<p style="margin:0 0 16px">${text}</p>`
  const { text } = html`<!doctype html>
<html lang="${tag}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body style="margin:0;padding:24px 12px;font:16px/1.5 -apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif">
<div role="article" lang="${tag}" dir="${direction}" style="max-width:560px;margin:0 auto;text-align:start">
<h1 style="font-size:24px;line-height:1.25;margin:0 0 16px">${heading}</h1>
${paragraphs.map(paragraph)}
<table role="presentation" style="border-collapse:collapse;margin:0 0 16px;width:100%">
${facts.map(
  ([label, value]) => html`<tr>
<td style="padding:6px 0;padding-inline-end:16px;opacity:.75;vertical-align:top;white-space:nowrap">${label}</td>
<td style="padding:6px 0;vertical-align:top">${value}</td>
</tr>
`,
)}</table>
<p style="margin:0 0 24px"><a href="${button.url}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:#1f4fd8;color:#ffffff;text-decoration:none">${button.label}</a></p>
${closing.map(paragraph)}
<p style="margin:24px 0 0;font-size:13px;opacity:.75">${footer}</p>
</div>
</body>
</html>
`
  return text
}
