// The style sheet, scripts and icons of every page, held in memory. Their addresses contain a
// digest of the content, so browsers can cache them for ever.
import { readFileSync } from 'node:fs'
import mermaidFile from '@mermaid-js/tiny/dist/mermaid.tiny.js' with { type: 'file' }
import {
  browserScript,
  packageDigest,
  splitScript,
  styleSheet,
  textFile,
} from './client.macro.ts' with { type: 'macro' }

export interface Asset {
  /** The path it is served at. */
  path: string
  type: string
  readonly body: string
  /** The strong entity tag, with its quotes. */
  etag: string
  /** Whether only some pages load it, when they need it. */
  isOnDemand: boolean
}

const files = {
  'style.css': ['text/css; charset=utf-8', styleSheet('./style.css')],
  'client.js': ['text/javascript; charset=utf-8', browserScript('./client/index.ts')],
  'favicon.svg': ['image/svg+xml', textFile('../assets/favicon.svg')],
  'logo.svg': ['image/svg+xml', textFile('../assets/logo.svg')],
} as const

export type AssetName = keyof typeof files

const make = (name: string, type: string, body: string): Asset => {
  const mark = new Bun.CryptoHasher('sha256').update(body).digest('hex').slice(0, 12)
  const dot = name.lastIndexOf('.')
  return {
    path: `/assets/${name.slice(0, dot)}-${mark}${name.slice(dot)}`,
    type,
    body,
    etag: `"${mark}"`,
    isOnDemand: false,
  }
}

const byName = new Map<string, Asset>(
  Object.entries(files).map(([name, [type, body]]) => [name, make(name, type, body)]),
)

const editorFiles: readonly Asset[] = Object.entries(splitScript('./client/editor/editor.ts')).map(
  ([name, body]) => ({
    ...make(name, 'text/javascript; charset=utf-8', body),
    // Names of parts contain a digest already, by which they import each other.
    path: `/assets/${name}`,
    etag: `"${name.replace(/\.js$/, '')}"`,
    isOnDemand: true,
  }),
)

/** The script of the code editor, which loads its other files itself. */
export const editorPath: string | undefined = editorFiles.find(({ path }) =>
  path.startsWith('/assets/editor-'),
)?.path

/** A file of 2.5 MB that few pages need: it is read when somebody asks for it. */
const mermaid: Asset = {
  path: `/assets/mermaid-${packageDigest('@mermaid-js/tiny/dist/mermaid.tiny.js')}.js`,
  type: 'text/javascript; charset=utf-8',
  get body() {
    return readFileSync(mermaidFile, 'utf8')
  },
  etag: `"${packageDigest('@mermaid-js/tiny/dist/mermaid.tiny.js')}"`,
  isOnDemand: true,
}

const diagramFiles: readonly Asset[] = [
  mermaid,
  {
    ...make(
      'diagram.js',
      'text/javascript; charset=utf-8',
      browserScript('./client/diagram/frame.ts'),
    ),
    isOnDemand: true,
  },
]

/** The scripts of the frame of a diagram: Mermaid, then ours. */
export const diagramScripts: readonly string[] = diagramFiles.map(({ path }) => path)

/** All files by path. Responses carry `Cache-Control: public, max-age=31536000, immutable`. */
export const assets: ReadonlyMap<string, Asset> = new Map(
  [...byName.values(), ...editorFiles, ...diagramFiles].map((asset) => [asset.path, asset]),
)

/** The path of a file, for links in pages. */
export const assetPath = (name: AssetName): string => byName.get(name)?.path ?? `/assets/${name}`

/**
 * The content security policy of every page: no inline script or style, and nothing from other
 * hosts but images in user content. `form-action` is added per response, because the consent page
 * of an application redirects to other hosts after its form.
 */
export const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' https: data:; font-src 'self'; connect-src 'self'; media-src 'self'; frame-src 'self'; " +
  "manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'"
