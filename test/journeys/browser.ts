/**
 * The browser of the tests: Debian's Chromium with fonts, locale, time zone, scale and colour
 * profile of the tests' own, so that a page is laid out alike on every machine.
 *
 * `HEARTH_TEST_FONTS` chooses other fonts: `flat` for generated glyphs that are flat and narrow, or
 * a directory of font files. Pictures of pages are the same under all of them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
} from 'playwright-core'
import { chromiumShell } from '../../scripts/support/chromium.ts'
import { FLAT, REGULAR, rulerFont } from './ruler.ts'

/** Families that pages name, and those that Chromium falls back to. */
const FAMILIES = [
  'system-ui',
  'sans-serif',
  'serif',
  'monospace',
  'Sans',
  'Arial',
  'Times New Roman',
]

/** The only font directory that the browser sees. */
function fontsIn(directory: string): string {
  const choice = process.env.HEARTH_TEST_FONTS ?? ''
  if (choice !== '' && choice !== 'flat') return resolve(choice)
  const fonts = join(directory, 'fonts')
  mkdirSync(fonts)
  writeFileSync(join(fonts, 'ruler.ttf'), rulerFont(choice === 'flat' ? FLAT : REGULAR))
  return fonts
}

/** Writes a configuration for fontconfig without the fonts of the system; returns its path. */
function writeFontConfiguration(directory: string): string {
  const path = join(directory, 'fonts.conf')
  const aliases = FAMILIES.map(
    (family) =>
      `<alias binding="same"><family>${family}</family><prefer><family>Ruler</family></prefer></alias>`,
  )
  writeFileSync(
    path,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${fontsIn(directory)}</dir>
  <cachedir>${join(directory, 'font-cache')}</cachedir>
  ${aliases.join('\n  ')}
</fontconfig>
`,
  )
  return path
}

async function launch(executablePath: string): Promise<Browser> {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-browser-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  return chromium.launch({
    executablePath,
    env: {
      ...process.env,
      FONTCONFIG_FILE: writeFontConfiguration(directory),
      LANG: 'C.UTF-8',
      LANGUAGE: 'en',
      TZ: 'UTC',
    },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--lang=en-GB',
      '--force-color-profile=srgb',
      '--force-device-scale-factor=1',
      '--font-render-hinting=none',
      '--disable-lcd-text',
      // Nothing looks for the internet.
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

const browsers = new Map<string, Promise<Browser>>()

/** A visitor of its own in the one browser of the process: cookies are not shared. */
export async function openContext(
  options: BrowserContextOptions = {},
  program = chromiumShell(),
): Promise<BrowserContext> {
  const browser = browsers.get(program) ?? launch(program)
  browsers.set(program, browser)
  return (await browser).newContext({
    locale: 'en-GB',
    timezoneId: 'UTC',
    deviceScaleFactor: 1,
    ...options,
  })
}
