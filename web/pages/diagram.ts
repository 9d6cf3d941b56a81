// The frame that draws one Mermaid diagram for the script of a page (`client/diagrams.ts`).
import { diagramScripts } from '../assets.ts'
import type { Resource } from '../site.ts'

/**
 * The policy of the frame: no origin, no network, nothing but the two scripts. Mermaid writes style
 * elements. `'self'` has no meaning in a document without an origin in every browser, so the address
 * of the site is named too.
 */
const policyOf = (siteUrl: string): string =>
  `default-src 'none'; script-src 'self' ${new URL(siteUrl).origin}; style-src 'unsafe-inline'; img-src data:; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"

const DOCUMENT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Diagram</title>
<style>html { block-size: fit-content } body { margin: 0; text-align: center; overflow-x: auto }</style>
${diagramScripts.map((path) => `<script src="${path}" defer></script>`).join('\n')}
</head>
<body></body>
</html>
`

export const diagramFrame: Resource = {
  path: '/-/diagram',
  respond: ({ hearth }) =>
    Promise.resolve(
      new Response(DOCUMENT, {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': policyOf(hearth.settings.site_url),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'private, no-cache',
        },
      }),
    ),
}
