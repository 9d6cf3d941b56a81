/**
 * html-validate and the Nu Html Checker of the W3C over the HTML of every page of the executable, as
 * somebody signed in and as a visitor. Fetches them into a temporary directory unless `--validator`
 * and `--vnu` name directories that have them.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { fetchTool } from '../../scripts/support/npm.ts'
import { OptionError, runScript } from '../../scripts/support/options.ts'
import { MORE_SETTINGS, tellEverything } from '../tour/more-pages.ts'
import { OUTSIDE } from '../tour/pages.ts'

const VERSION = '10.17.0'
const VNU_VERSION = '26.9.27'
const OPTIONS = {
  executable: { help: 'the forge', default: EXECUTABLE, kind: 'text' },
  validator: { help: 'a directory with node_modules/html-validate', default: '', kind: 'text' },
  vnu: { help: 'a directory with node_modules/vnu-jar', default: '', kind: 'text' },
} as const

/**
 * What is asked of the pages: all that html-validate recommends, but for what is a matter of taste
 * and not of the standard.
 */
const RULES = {
  root: true,
  extends: ['html-validate:recommended'],
  rules: {
    // The pages are written in one line by a machine; neither is an error by the standard.
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    // Fields of one name are a list of values, as the standard has it: the scopes of a token, the
    // rows of a ruleset.
    'form-dup-name': 'off',
    // A preview stands before the button that sends. As an input it is not what Enter, or whoever
    // takes the first button, presses.
    'prefer-button': 'off',
    // A list may have a name.
    'aria-label-misuse': ['error', { allowAnyNamable: true }],
    // The standard's own examples write both.
    'attribute-boolean-style': 'off',
    'attribute-empty-style': 'off',
    'void-style': 'off',
    'doctype-style': 'off',
  },
}

type Message = {
  ruleId: string
  message: string
  line: number
  column: number
  selector: string | null
}
type Result = { filePath: string; messages: Message[] }

type Finding = { readonly page: string; readonly text: string }

const pageOf = (path: string): string => path.replace(/^.*\//, '').replace('.html', '')

/** What html-validate finds in the pages of a folder. */
async function htmlValidate(tool: string, folder: string, report: string): Promise<Finding[]> {
  const child = Bun.spawn(
    [
      'node',
      tool,
      '--formatter',
      'json',
      '--config',
      join(folder, '.htmlvalidate.json'),
      `${folder}/*.html`,
    ],
    // A file takes all of it; the tool ends before a pipe has.
    { cwd: folder, stdout: Bun.file(report), stderr: 'pipe' },
  )
  const error = await new Response(child.stderr).text()
  await child.exited
  const out = await Bun.file(report).text()
  if (out.trim() === '') throw new Error(`html-validate said nothing: ${error}`)
  return (JSON.parse(out) as Result[]).flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, message, selector }) => ({
      page: pageOf(filePath),
      text: `${ruleId}: ${message} at ${selector ?? '?'}`,
    })),
  )
}

type VnuMessage = {
  readonly type: string
  readonly url?: string
  readonly message: string
  readonly extract?: string
}

/**
 * Every browser takes it to choose a folder, and without it the field chooses files. It is in no
 * standard (File and Directory Entries API, draft).
 */
const FOLDER_CHOICE = 'Attribute “webkitdirectory” not allowed'

/** What the Nu Html Checker finds in the pages of a folder. */
async function vnu(jar: string, folder: string): Promise<Finding[]> {
  const child = Bun.spawn(
    ['java', '-jar', jar, '--errors-only', '--format', 'json', '--skip-non-html', folder],
    { stdout: 'ignore', stderr: 'pipe' },
  )
  const out = await new Response(child.stderr).text()
  await child.exited
  const { messages } = JSON.parse(out) as { messages: VnuMessage[] }
  return messages
    .filter(({ message }) => !message.startsWith(FOLDER_CHOICE))
    .map(({ url = '', message, extract = '' }) => ({
      page: pageOf(url),
      text: `vnu: ${message} ${extract.replaceAll('\n', ' ')}`,
    }))
}

await runScript('bun test/system/html-validate.ts', OPTIONS, async (options) => {
  const work = mkdtempSync(join(tmpdir(), 'hearth-html-'))
  try {
    // A folder for each: npm takes away what an earlier call without --save installed.
    const folderFor = (name: string): string => {
      mkdirSync(join(work, name))
      return join(work, name)
    }
    const tool = join(
      options.validator || (await fetchTool(folderFor('validator'), `html-validate@${VERSION}`)),
      'node_modules/html-validate/bin/html-validate.mjs',
    )
    const jar = join(
      options.vnu || (await fetchTool(folderFor('vnu'), `vnu-jar@${VNU_VERSION}`)),
      'node_modules/vnu-jar/build/dist/vnu.jar',
    )
    for (const file of [tool, jar])
      if (!existsSync(file)) throw new OptionError(`there is no ${file}`)
    const data = join(work, 'data')
    const forge = await startForge({
      executable: requireBuilt(options.executable),
      data,
      log: join(work, 'log'),
      environment: MORE_SETTINGS,
    })
    try {
      const { token, cookie } = await claim(forge)
      const { executable } = options
      const told = await tellEverything({ url: forge.url, executable, data, work }, token)
      told.stop()
      const places = [
        ...Object.entries(told.pages),
        ...Object.entries(OUTSIDE),
        ['nowhere', '/nowhere/at/all'] as const,
      ]
      const folder = join(work, 'html')
      mkdirSync(folder)
      writeFileSync(join(folder, '.htmlvalidate.json'), JSON.stringify(RULES))
      for (const [name, path] of places) {
        const answer = await fetch(forge.url + path, { headers: name in OUTSIDE ? {} : { cookie } })
        if (answer.status !== (name === 'nowhere' ? 404 : 200))
          throw new Error(`${path} answered ${answer.status}`)
        writeFileSync(join(folder, `${name}.html`), await answer.text())
      }
      const findings = [
        ...(await htmlValidate(tool, folder, join(work, 'report.json'))),
        ...(await vnu(jar, folder)),
      ]
      for (const { page, text } of findings) process.stdout.write(`${page}: ${text}\n`)
      process.stdout.write(`${places.length} pages, ${findings.length} findings\n`)
      return findings.length === 0 ? 0 : 1
    } finally {
      await forge.kill()
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})
