/**
 * Every page of the executable in English with brackets around each translated text (`en-XA`): what
 * stands outside of brackets and comes from no user is reported with its page.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, startForge } from '../../scripts/support/forge.ts'
import { runScript } from '../../scripts/support/options.ts'
import { untranslatedOf } from '../tour/page-texts.ts'
import { MORE_SETTINGS, tellEverything } from '../tour/more-pages.ts'
import { OUTSIDE } from '../tour/pages.ts'

const OPTIONS = { executable: { help: 'the forge', default: EXECUTABLE, kind: 'text' } } as const

await runScript('bun test/system/translations.ts', OPTIONS, async ({ executable }) => {
  const work = mkdtempSync(join(tmpdir(), 'hearth-texts-'))
  const data = join(work, 'data')
  const log = join(work, 'log')
  const forge = await startForge({ executable, data, log, environment: MORE_SETTINGS })
  try {
    const { token, cookie } = await claim(forge)
    const told = await tellEverything({ url: forge.url, executable, data, work }, token)
    told.stop()
    const places = [
      ...Object.entries(told.pages).map(([name, path]) => ({ name, path, cookie: `${cookie}; ` })),
      ...Object.entries(OUTSIDE).map(([name, path]) => ({ name, path, cookie: '' })),
    ]
    const found = new Map<string, string>()
    for (const { name, path, cookie } of places) {
      const page = await fetch(forge.url + path, {
        headers: { cookie: `${cookie}hearth-locale=en-XA` },
      })
      for (const { where, text } of await untranslatedOf(await page.text()))
        if (!found.has(text)) found.set(text, `${name}: ${where}`)
    }
    for (const [text, where] of found) process.stdout.write(`${where}: ${text}\n`)
    process.stdout.write(`${places.length} pages, ${found.size} texts without a translation\n`)
    return found.size === 0 ? 0 : 1
  } finally {
    await forge.kill()
    rmSync(work, { recursive: true, force: true })
  }
})
