/** What a person sees of the release that `release.yml` drafted, in a browser and with a shell. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { api } from '../../journeys/forge.ts'

type Release = {
  readonly id: string
  readonly tag_name: string
  readonly draft: boolean
  readonly assets: readonly { readonly name: string }[]
}

const REPOSITORY = '/ada/hearth'
/** Archives of seven kinds of machine, the bill of materials and the sums; packages where dpkg-deb is. */
const MIN_FILES = 9

const sha256 = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex')

/** Presses the link of a file on the page of the release. Returns where it was stored. */
async function download(page: Page, name: string, directory: string): Promise<string> {
  const arrived = page.waitForEvent('download')
  await page.getByRole('link', { name, exact: true }).click()
  const path = join(directory, name)
  await (await arrived).saveAs(path)
  return path
}

/** Returns what is wrong; nothing when all is as it should be. */
export async function checkRelease({
  page,
  ask,
  url,
  version,
  directory,
}: {
  readonly page: Page
  readonly ask: ReturnType<typeof api>
  readonly url: string
  readonly version: string
  readonly directory: string
}): Promise<string[]> {
  const faults: string[] = []
  const check = (what: string, isRight: boolean, said = ''): void => {
    if (isRight) process.stdout.write(`ok   ${what}\n`)
    else faults.push(`${what}: ${said}`)
  }
  const releases = (await ask('GET', `/v1/repos${REPOSITORY}/releases`)).body as Release[]
  const [release] = releases
  if (!release) return ['there is no release']
  const names = release.assets.map(({ name }) => name)
  check('the release is a draft of the tag', release.draft && release.tag_name === `v${version}`)
  check('it has all files', names.length >= MIN_FILES, names.join(', '))
  const strangers = await fetch(`${url}/api/v1/repos${REPOSITORY}/releases`)
  check('a stranger sees no draft', ((await strangers.json()) as unknown[]).length === 0)
  const hidden = await fetch(`${url}${REPOSITORY}/releases`).then((answer) => answer.text())
  check(
    'nor one of its files',
    names.every((name) => !hidden.includes(name)),
  )

  await page.goto(`${url}${REPOSITORY}/releases`)
  const list = (await page.textContent('main')) ?? ''
  check('the page shows the draft', list.includes('Draft') && list.includes(`v${version}`), list)
  await page
    .locator('main')
    .getByRole('link', { name: `v${version}` })
    .first()
    .click()
  await page.getByRole('link', { name: 'SHA256SUMS', exact: true }).waitFor()
  const sums = readFileSync(await download(page, 'SHA256SUMS', directory), 'utf8')
  check(
    'the sums are those of all files',
    names.filter((name) => name !== 'SHA256SUMS').every((name) => sums.includes(`  ${name}\n`)),
    sums,
  )
  const archive = `hearth-${version}-linux-x64.tar.gz`
  const path = await download(page, archive, directory)
  check('a downloaded archive has its sum', sums.includes(`${sha256(path)}  ${archive}`))
  Bun.spawnSync(['tar', '-xzf', path, '-C', directory])
  const program = join(directory, archive.replace('.tar.gz', ''), 'hearth')
  const said = Bun.spawnSync([program, 'version']).stdout.toString()
  check('its program starts', said.includes(version), said)

  await ask('PATCH', `/v1/repos${REPOSITORY}/releases/${release.id}`, { draft: false })
  const published = await fetch(`${url}${REPOSITORY}/releases/tag/v${version}`).then((answer) =>
    answer.text(),
  )
  check('once it is published a stranger sees its files', published.includes(archive))
  return faults
}
