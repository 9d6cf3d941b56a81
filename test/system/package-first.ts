/**
 * The first package of each registry, by what the page Packages of an empty workspace shows: each
 * text is taken from the page as it is and pasted into a shell, in a project that is as small as its
 * client takes it. Then the texts of the new package's own page are pasted into other projects, each
 * with an empty home: while the package is private, and without a token once it is public. What is
 * not installed is named. Go is not among them, because it sends a token over https only.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { fetchTool } from '../../scripts/support/npm.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { Client } from './package-clients/client.ts'
import { findNuget } from './package-clients/nuget.ts'
import {
  TEXT_OF_PAGE,
  WALKS,
  type Install,
  type Project,
  type Walk,
} from './package-first/walks.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  only: { kind: 'text', default: '', help: 'One type, such as npm or cargo.' },
  tools: { kind: 'text', default: '', help: 'Where tools are fetched to, to be used again.' },
} as const satisfies Record<string, Option>

const { workspace } = OWNER

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}
const plain = (html: string): string =>
  html.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)

type Block = { readonly label: string; readonly text: string }

/** The first texts to copy that a page shows. */
async function readBlocks(url: string, cookie: string): Promise<Block[]> {
  const html = await (await fetch(url, { headers: { cookie } })).text()
  const [, shown = ''] = html.split('<div class="snippets">')
  const blocks = shown.matchAll(
    /<p class="small strong">(.*?)<\/p>.*?<pre[^>]*>\s*<code>(.*?)<\/code>/gs,
  )
  return [...blocks].map(([, label = '', text = '']) => ({
    label: plain(label),
    text: plain(text),
  }))
}

const isFile = ({ label }: Block): boolean => /\.|file$/.test(label)

/** A folder with a project in it, a home beside it, and the files of the page in both. */
function prepare(
  client: Client,
  folder: string,
  project: Project,
  blocks: readonly Block[],
): { folder: string; environment: Record<string, string> } {
  const home = client.path(`${folder}-home`)
  mkdirSync(home, { recursive: true })
  mkdirSync(client.path(folder), { recursive: true })
  for (const { label, text } of blocks.filter(isFile))
    if (label.startsWith('~/')) client.write(`${folder}-home/${label.slice(2)}`, text)
    else if (!label.endsWith('Containerfile'))
      client.write(`${folder}/${label}`, project[label]?.replace(TEXT_OF_PAGE, text) ?? text)
  for (const [path, text] of Object.entries(project))
    if (!text.includes(TEXT_OF_PAGE)) client.write(`${folder}/${path}`, text)
  client.write(
    `${folder}-home/storage.conf`,
    `[storage]\ndriver = "vfs"\ngraphroot = "${home}/images"\nrunroot = "${home}/run"\n`,
  )
  // Else the public registry is asked too, which may be out of reach.
  client.write(
    `${folder}-home/.config/NuGet/NuGet.Config`,
    '<configuration><disabledPackageSources><add key="nuget.org" value="true" /></disabledPackageSources></configuration>',
  )
  const environment = {
    // The way to the registry of Python that this machine has.
    ...Object.fromEntries(
      Object.entries(process.env).filter(([key]) => /^(?:UV|PIP|SSL)_/.test(key)),
    ),
    PATH: `${client.place.tools}:${process.env.PATH}`,
    HOME: home,
    // Java does not look into `HOME`.
    MAVEN_OPTS: `-Duser.home=${home}`,
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(process.env.HOME ?? '', '.rustup'),
    GEM_HOME: join(home, 'gems'),
    COMPOSER_ALLOW_SUPERUSER: '1',
    MONO_TLS_PROVIDER: 'legacy',
    CONTAINERS_STORAGE_CONF: join(home, 'storage.conf'),
    XDG_RUNTIME_DIR: join(home, 'run'),
  }
  return { folder, environment }
}

/** As pasted: what reads from the terminal takes the lines that follow. */
async function paste(
  client: Client,
  what: string,
  { folder, environment }: ReturnType<typeof prepare>,
  text: string,
): Promise<void> {
  client.write(`${folder}.sh`, text)
  const shell = ['sh', '-c', `bash -e < '../${folder}.sh'`]
  await client.succeeds(what, folder, shell, environment)
}

const missingOf = (programs: readonly string[], { tools }: Client['place']): string[] =>
  programs.filter((name) => Bun.which(name, { PATH: `${tools}:${process.env.PATH}` }) === null)

/** Whether the programs are there. Says so where they are not. */
function hasPrograms(client: Client, what: string, programs: readonly string[]): boolean {
  const missing = missingOf(programs, client.place)
  if (missing.length === 0) return true
  process.stdout.write(`${what}: left out, ${missing.join(' and ')} not installed\n`)
  if (process.env.CI) client.failures++
  return false
}

async function install(
  client: Client,
  { client: wanted, project = {}, proof }: Install,
  round: 'private' | 'public',
  blocks: readonly Block[],
): Promise<void> {
  const { token } = client.place
  const commands = blocks.find(({ label }) => label === wanted)?.text
  client.check(`${round}: the page has lines for ${wanted}`, commands !== undefined)
  const place = prepare(client, `${round}-${wanted}`, project, blocks)
  const environment = {
    ...place.environment,
    PIP_TARGET: 'packages',
    ...(round === 'private' && { HEARTH_TOKEN: token }),
  }
  const text = `${commands ?? ''}\n${proof}\n`
  await paste(client, `${round}: ${wanted} installs`, { ...place, environment }, text)
}

async function walk(client: Client, one: Walk, cookie: string): Promise<void> {
  const { url, token } = client.place
  const { type, name } = one
  const pages = `${url}/${workspace}/-/packages`
  const blocks = await readBlocks(`${pages}?type=${type}`, cookie)
  const commands = blocks.find(({ label }) => label === one.client)?.text
  client.check('the page shows what to paste', commands !== undefined)
  const place = prepare(client, 'project', one.project, blocks)
  if (one.before !== undefined)
    await client.succeeds('git', place.folder, ['sh', '-c', one.before], place.environment)
  const environment = { ...place.environment, HEARTH_TOKEN: token }
  await paste(client, 'pasted into a shell', { ...place, environment }, commands ?? '')
  const record = `${url}/api/v1/workspaces/${workspace}/packages/${type}/${encodeURIComponent(name)}`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const found = await fetch(record, { headers })
  client.check('the package is there', found.status === 200, await found.text())
  const installs = one.installs.filter((each) =>
    hasPrograms(client, `${client.name}: ${each.client}`, each.programs),
  )
  const page = `${pages}/${type}/${encodeURIComponent(name)}`
  for (const round of ['private', 'public'] as const) {
    if (round === 'public')
      await fetch(record, { method: 'PATCH', headers, body: '{"visibility":"public"}' })
    const shown = await readBlocks(page, cookie)
    for (const each of installs) await install(client, each, round, shown)
  }
}

/** Puts programs that npm has, and the Bun that runs this, into a folder for `PATH`. */
async function makeTools(tools: string, folder: string): Promise<void> {
  // npm removes from a folder what it did not install into it last.
  for (const path of [tools, join(tools, 'nuget'), folder]) mkdirSync(path, { recursive: true })
  await fetchTool(tools, 'pnpm@9.15.9', '@yarnpkg/cli-dist@4.18.1').catch(() => {})
  const nuget = await findNuget(join(tools, 'nuget'))
  const programs = {
    pnpm: `node ${tools}/node_modules/pnpm/bin/pnpm.cjs`,
    yarn: `node ${tools}/node_modules/@yarnpkg/cli-dist/bin/yarn.js`,
    ...(nuget !== null && Bun.which('mono') !== null && { nuget: `mono ${nuget}` }),
  }
  for (const [name, command] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\nexec ${command} "$@"\n`)
    chmodSync(join(folder, name), 0o755)
  }
  symlinkSync(process.execPath, join(folder, 'bun'))
}

await runScript('bun test/system/package-first.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'package-first-'))
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
  })
  let failures = 0
  try {
    const { token, cookie } = await claim(forge)
    const tools = join(directory, 'bin')
    await makeTools(options.tools || join(directory, 'tools'), tools)
    for (const one of WALKS) {
      if (options.only !== '' && options.only !== one.type) continue
      const own = join(directory, `${one.type}-${one.client}`)
      const name = `${one.type} with ${one.client}`
      const client = new Client(name, { url: forge.url, workspace, token, directory: own, tools })
      if (hasPrograms(client, name, one.programs)) await walk(client, one, cookie)
      failures += client.failures
    }
  } finally {
    await forge.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  process.stdout.write(`${failures} failures\n`)
  return failures === 0 ? 0 : 1
})
