// The style sheet, scripts and icons of every page, unpacked when somebody asks for them. Their
// addresses contain a digest of the content, so browsers can cache them for ever.
import { readFileSync } from 'node:fs'
import { packedText } from '#lib/packed-text.ts'
import type { PackedFile } from './client.macro.ts'
import type { Locale } from './locale.ts'
import mermaidFile from '@mermaid-js/tiny/dist/mermaid.tiny.js' with { type: 'file' }
import {
  browserScript,
  packageDigest,
  scriptTranslations,
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

const SCRIPT = 'text/javascript; charset=utf-8'

const files = {
  'style.css': ['text/css; charset=utf-8', styleSheet('./style.css')],
  'client.js': [SCRIPT, browserScript('./client/index.ts')],
  'favicon.svg': ['image/svg+xml', textFile('../assets/favicon.svg')],
  'logo.svg': ['image/svg+xml', textFile('../assets/logo.svg')],
} as const

export type AssetName = keyof typeof files

class PackedAsset implements Asset {
  readonly path: string
  readonly etag: string
  readonly #text: () => string

  constructor(
    name: string,
    readonly type: string,
    { packed, digest }: PackedFile,
    readonly isOnDemand = false,
  ) {
    const dot = name.lastIndexOf('.')
    this.path = `/assets/${name.slice(0, dot)}-${digest}${name.slice(dot)}`
    this.etag = `"${digest}"`
    this.#text = packedText(packed)
  }

  get body(): string {
    return this.#text()
  }
}

const byName = new Map<string, Asset>(
  Object.entries(files).map(([name, [type, body]]) => [name, new PackedAsset(name, type, body)]),
)

/** Names of parts contain a digest already, by which they import each other. */
class EditorAsset extends PackedAsset {
  override readonly path: string
  override readonly etag: string

  constructor(name: string, file: PackedFile) {
    super(name, SCRIPT, file, true)
    this.path = `/assets/${name}`
    this.etag = `"${name.replace(/\.js$/, '')}"`
  }
}

const editorFiles: readonly Asset[] = Object.entries(splitScript('./client/editor/editor.ts')).map(
  ([name, file]) => new EditorAsset(name, file),
)

/** The script of the code editor, which loads its other files itself. */
export const editorPath: string | undefined = editorFiles.find(({ path }) =>
  path.startsWith('/assets/editor-'),
)?.path

/** What pages in another language than English load before the script. */
const translations: Readonly<Record<Exclude<Locale, 'en'>, Asset>> = {
  ar: new PackedAsset('texts-ar.js', SCRIPT, scriptTranslations('ar'), true),
  de: new PackedAsset('texts-de.js', SCRIPT, scriptTranslations('de'), true),
  'en-XA': new PackedAsset('texts-en-XA.js', SCRIPT, scriptTranslations('en-XA'), true),
}

/** The path of the translations of the script's texts. Null for English, which it has itself. */
export const translationsPath = (locale: Locale): string | null =>
  locale === 'en' ? null : translations[locale].path

/** A file of 2.5 MB that few pages need: it is read when somebody asks for it. */
const mermaid: Asset = {
  path: `/assets/mermaid-${packageDigest('@mermaid-js/tiny/dist/mermaid.tiny.js')}.js`,
  type: SCRIPT,
  get body() {
    return readFileSync(mermaidFile, 'utf8')
  },
  etag: `"${packageDigest('@mermaid-js/tiny/dist/mermaid.tiny.js')}"`,
  isOnDemand: true,
}

const diagramFiles: readonly Asset[] = [
  mermaid,
  new PackedAsset('diagram.js', SCRIPT, browserScript('./client/diagram/frame.ts'), true),
]

/** The scripts of the frame of a diagram: Mermaid, then ours. */
export const diagramScripts: readonly string[] = diagramFiles.map(({ path }) => path)

/** All files by path. Responses carry `Cache-Control: public, max-age=31536000, immutable`. */
export const assets: ReadonlyMap<string, Asset> = new Map(
  [...byName.values(), ...Object.values(translations), ...editorFiles, ...diagramFiles].map(
    (asset) => [asset.path, asset],
  ),
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
