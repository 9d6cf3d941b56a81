/**
 * Walks the tasks of a day as people do them who come from GitHub, in Chromium and with git:
 * `bun test/system/walk.ts`. It counts presses (clicks and keys that are no text), page loads and
 * typed words of each, and prints them beside the fewest that GitHub needs. Exits with 1 when a task
 * needs more presses, words or page loads here.
 *
 * The numbers of GitHub are our own count, from its public pages and documentation in November
 * 2026. An address that both sites are given is not counted. `loads` counts each page that is
 * fetched for an address; forms that change the page in place fetch none.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { PNG } from '../features/attachments/fixture.ts'
import {
  api,
  BARE_ENVIRONMENT,
  claim,
  EXECUTABLE,
  git,
  startForge,
  visitor,
  withToken,
} from '../journeys/forge.ts'

type Count = { presses: number; loads: number; words: number }
type Task = Count & { readonly name: string; readonly peer: Count }

const REPO = '/ada/oven'
const forge = await startForge({ environment: { HEARTH_ACCOUNTS_SIGN_UP: 'open' } })
const work = mkdtempSync(join(tmpdir(), 'hearth-walk-'))

/** Somebody who works on the site, with the counts of the present task. */
class Person {
  count: Count = { presses: 0, loads: 0, words: 0 }

  constructor(readonly page: Page) {
    page.on('request', (request) => {
      if (
        request.isNavigationRequest() &&
        request.frame() === page.mainFrame() &&
        request.redirectedFrom() === null &&
        request.method() === 'GET'
      )
        this.count.loads++
    })
    page.on('response', (response) => {
      // A form that leads on to a page is one load, as is one that is answered by a page.
      if (
        response.request().isNavigationRequest() &&
        response.request().redirectedFrom()?.method() === 'POST'
      )
        this.count.loads++
    })
  }

  at(selector: string): Locator {
    return this.page.locator(selector).filter({ visible: true }).first()
  }

  async press(selector: string): Promise<void> {
    this.count.presses++
    await this.at(selector).click()
  }

  async key(key: string): Promise<void> {
    this.count.presses++
    await this.page.keyboard.press(key)
  }

  /** Where the page has put the focus, or in a field that is pressed first. */
  async type(text: string, field?: string): Promise<void> {
    this.count.words += text.split(/\s+/).length
    if (field === undefined) await this.page.keyboard.type(text)
    else await this.at(field).fill(text)
  }

  /** Waits for what shows that a task is done. */
  async sees(selector: string): Promise<void> {
    await this.at(selector).waitFor({ timeout: 20_000 })
  }

  /** An address that was given: no part of the counts. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${forge.url}${path}`)
    this.count = { presses: 0, loads: 0, words: 0 }
  }
}

const tasks: Task[] = []
const failures: string[] = []

/** Begins at an address and counts until `run` is through. */
async function task(
  name: string,
  person: Person,
  start: string,
  [presses, loads, words]: [number, number, number],
  run: (person: Person) => Promise<void>,
): Promise<void> {
  const peer = { presses, loads, words }
  try {
    await person.open(start)
    await run(person)
    tasks.push({ name, ...person.count, peer })
    console.error(`${name}: ${JSON.stringify(person.count)}`)
  } catch (error) {
    console.error(`${name}: failed`)
    failures.push(`${name}: ${String(error).split('\n').slice(0, 6).join(' ')}`)
    await person.page.screenshot({ path: join(work, `failed-${failures.length}.png`) })
  }
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(work, path)), { recursive: true })
  writeFileSync(join(work, path), text)
}
const commit = async (message: string): Promise<void> => {
  await git(work, 'add', '--all')
  await git(work, 'commit', '-q', '-m', message)
}
const lines = (changed: Record<number, string> = {}): string =>
  Array.from({ length: 40 }, (_, at) => `${changed[at + 1] ?? `line ${at + 1}`}\n`).join('')

// Two people: ada runs the site, bob registers.
const first = await visitor()
const token = await claim(first.page, forge)
const ada = new Person(first.page)
const ask = api(forge, token)
const second = await visitor()
await second.page.goto(`${forge.url}/register`)
for (const [name, value] of Object.entries({
  username: 'bob',
  email: 'bob@example.com',
  password: 'correct horse battery',
}))
  await second.page.fill(`[name=${name}]`, value)
await second.page.click('main button')
const link = Bun.spawnSync([EXECUTABLE, 'link', 'confirm', 'bob'], {
  cwd: forge.directory,
  env: BARE_ENVIRONMENT,
})
await second.page.goto(/https?:\/\/\S+/.exec(String(link.stdout))?.[0] ?? '')
await second.page.click('main form button').catch(() => null)
const bob = new Person(second.page)

/** A branch of one commit with an open pull request of bob's. */
async function pullOf(branch: string, files: Record<string, string>, as = ask): Promise<number> {
  await git(work, 'pull', '-q', '--rebase', 'origin', 'main')
  await git(work, 'checkout', '-q', '-b', branch, 'main')
  for (const [path, text] of Object.entries(files)) write(path, text)
  await commit(`Change ${branch}`)
  await git(work, 'push', '-q', 'origin', branch)
  await git(work, 'checkout', '-q', 'main')
  const { body } = await as('POST', '/v1/repos/ada/oven/pulls', { branch, title: `Try ${branch}` })
  const { pull } = body as { pull?: { number: number } }
  if (!pull) throw new Error(JSON.stringify(body))
  return pull.number
}

// 1 to 5: a repository, pushes, changes.
await task('Create a repository', ada, '/', [3, 2, 1], async (person) => {
  await person.press('.new-menu > summary')
  await person.press('text=New repository')
  await person.sees('[name=name]:focus')
  await person.type('oven')
  await person.press('button:has-text("Create repository")')
  await person.sees('text=Push an existing repository')
})
await task('Copy the lines for the first push', ada, REPO, [1, 0, 0], async (person) => {
  await person.press('[aria-label="Copy the commands for an existing repository"]')
})
await ask('POST', '/v1/repos/ada/oven/visibility', { private: false, confirm: 'ada/oven' })
await git(work, 'init', '-q', '-b', 'main')
await git(work, 'remote', 'add', 'origin', withToken(`${forge.url}${REPO}.git`, token))
write('README.md', '# Oven\n')
write('src/oven.txt', lines())
write('src/deep/heat.txt', lines())
await commit('Begin')
await task('First push', ada, REPO, [0, 1, 0], async (person) => {
  await git(work, 'push', '-q', '-u', 'origin', 'HEAD:main')
  await person.sees('text=README.md')
})
await task('Second push to the default branch', ada, REPO, [0, 0, 0], async () => {
  write('README.md', '# Oven\n\nIt heats.\n')
  await commit('Say what it does')
  await git(work, 'push', '-q')
})
await task('Copy the address to clone', ada, REPO, [2, 0, 0], async (person) => {
  await person.press('summary:has-text("Clone")')
  await person.press('.menu-panel button[data-copy], .menu-panel [aria-label^="Copy"]')
})
await git(work, 'checkout', '-q', '-b', 'warm')
write('src/oven.txt', lines({ 3: 'three' }))
await commit('Warm the oven')
await git(work, 'push', '-q', 'origin', 'warm')
await git(work, 'checkout', '-q', 'main')
await task('Open a pull request from a pushed branch', ada, REPO, [2, 2, 0], async (person) => {
  await person.press('a:has-text("Create pull request")')
  await person.press('button:has-text("Create pull request")')
  await person.sees('h1:has-text("Warm the oven")')
})
await task('Edit a file', ada, `${REPO}/blob/main/README.md`, [3, 2, 2], async (person) => {
  await person.key('e')
  await person.sees('.cm-content')
  await person.at('.cm-content').click()
  await person.type('New words')
  await person.press('button:has-text("Commit changes")')
  await person.page.waitForURL(/\/blob\/main\/README\.md/)
})
await task(
  'Edit a file on a new branch, with a pull request',
  ada,
  `${REPO}/blob/main/README.md`,
  [5, 3, 1],
  async (person) => {
    await person.key('e')
    await person.sees('.cm-content')
    await person.at('.cm-content').click()
    await person.type('More')
    await person.press('label:has-text("Commit to a new branch")')
    await person.press('button:has-text("Commit changes")')
    await person.page.waitForURL(/\/pull\/\d+/)
  },
)
await task(
  'Propose a change without write access (fork and pull request)',
  bob,
  `${REPO}/blob/main/README.md`,
  [6, 5, 1],
  async (person) => {
    await person.key('e')
    await person.sees('.cm-content')
    await person.at('.cm-content').click()
    await person.type('Mine')
    await person.press('button:has-text("Propose change")')
    await person.page.waitForURL(/\/pull\/\d+/)
  },
)
await task('Upload a file', ada, REPO, [4, 2, 0], async (person) => {
  await person.press('summary[aria-label="Add files"]')
  await person.press('text=Upload files')
  person.count.presses++
  await person.page.setInputFiles('#field-files', {
    name: 'notes.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('notes\n'),
  })
  await person.press('button:has-text("Commit changes")')
  await person.sees('text=notes.txt')
})

// Finding things.
await task('Find a file by its name', ada, REPO, [2, 2, 1], async (person) => {
  await person.key('t')
  await person.page.waitForURL(/\/find\//)
  await person.sees('[type=search]:focus')
  await person.type('heat')
  await person.sees('.found-files a:has-text("heat.txt")')
  await person.key('Enter')
  await person.page.waitForURL(/heat\.txt/)
})
await task('Switch to another branch', ada, REPO, [2, 1, 0], async (person) => {
  await person.press('.ref-menu > summary')
  await person.press('.ref-menu a:has-text("warm")')
  await person.page.waitForURL(/tree\/warm/)
})
await task('Create a branch', ada, REPO, [2, 1, 1], async (person) => {
  await person.press('.ref-menu > summary')
  await person.sees('.ref-menu [type=search]:focus')
  await person.type('cool')
  await person.press('.ref-menu button:has-text("Create branch")')
  await person.page.waitForURL(/tree\/cool/)
})
await task('Search the code of a repository', ada, REPO, [2, 1, 1], async (person) => {
  await person.key('/')
  await person.sees('[name=q]:focus')
  await person.type('heats')
  await person.key('Enter')
  await person.page.waitForURL(/\/search/)
})
await task(
  'From a line to its pull request',
  ada,
  `${REPO}/blob/main/README.md`,
  [3, 3, 0],
  async (person) => {
    await person.press('a:has-text("Blame")')
    await person.page.waitForURL(/\/blame\//)
    await person.press('.blame a')
    await person.page.waitForURL(/\/(commit|pull)\//)
  },
)

// Issues.
await task('Open an issue', ada, REPO, [3, 3, 3], async (person) => {
  await person.press('nav a:has-text("Issues")')
  await person.press('main a:has-text("New issue")')
  await person.page.waitForURL(/issues\/new/)
  await person.sees('[name=title]:focus')
  await person.type('It overshoots badly')
  await person.press('button:has-text("Create issue")')
  await person.sees('h1:has-text("It overshoots badly")')
})
const issue = async (title: string): Promise<string> => {
  const { body } = await ask('POST', '/v1/repos/ada/oven/issues', { title })
  return `${REPO}/issues/${(body as { number: number }).number}`
}
await task('Open an issue with a picture', ada, `${REPO}/issues`, [3, 2, 2], async (person) => {
  await person.press('main a:has-text("New issue")')
  await person.page.waitForURL(/issues\/new/)
  await person.sees('[name=title]:focus')
  await person.type('Looks wrong')
  person.count.presses++
  await person.page.setInputFiles('#field-body-files', {
    name: 'shot.png',
    mimeType: 'image/png',
    buffer: PNG,
  })
  await person.page.waitForFunction(() =>
    document.querySelector<HTMLTextAreaElement>('#field-body')?.value.includes('att_'),
  )
  await person.press('button:has-text("Create issue")')
  await person.sees('.md img')
})
const labelled = await issue('To be labelled')
await task('Label an issue', ada, labelled, [3, 0, 0], async (person) => {
  await person.press('summary:has-text("Change: Labels"), form[aria-label="Labels"] summary')
  await person.press('form[aria-label="Labels"] .picker-item:has-text("bug")')
  await person.key('Escape')
  await person.sees('aside .label:has-text("bug")')
})
await task('Assign an issue to oneself', ada, labelled, [1, 0, 0], async (person) => {
  await person.press('button:has-text("Assign yourself")')
  await person.sees('aside .bare-list:has-text("ada")')
})
await task('Answer an issue', ada, labelled, [1, 0, 3], async (person) => {
  await person.type('Seen here too', '.comment-box textarea, form[action$="/comments"] textarea')
  await person.press('form[action$="/comments"] button:has-text("Comment")')
  await person.sees('.comment:has-text("Seen here too")')
})
await task('Close an issue', ada, labelled, [1, 0, 0], async (person) => {
  await person.press('form[action$="/comments"] button:has-text("Close as completed")')
  await person.sees('button:has-text("Reopen")')
})

// Reviews and merges.
const bobToken = await (async () => {
  await bob.page.goto(`${forge.url}/settings/tokens`)
  await bob.page.fill('[name=name]', 'walk')
  await bob.page.click('main form[action="/settings/tokens"] button[class*=primary]')
  return (await bob.page.textContent('#token-secret'))?.trim() ?? ''
})()
const askBob = api(forge, bobToken)
await ask('POST', '/v1/repos/ada/oven/collaborators', { invitee: 'bob', role: 'write' })
for (const { id } of (await askBob('GET', '/v1/user/repository_invitations')).body as {
  id: string
}[])
  await askBob('PATCH', `/v1/user/repository_invitations/${id}`)
const reviewed = await pullOf('steam', { 'src/oven.txt': lines({ 7: 'seven' }) }, askBob)
const pull = `${REPO}/pull/${reviewed}`
await task('Suggest a change on a line', ada, pull, [4, 1, 2], async (person) => {
  await person.press('nav a:has-text("Changes")')
  await person.page.waitForURL(/\/changes/)
  await person.at('.diff-table .add > td:last-child').hover()
  await person.press('.diff-lines a[href*="on=d"][href$="R7"]')
  await person.sees('.line-form textarea:focus')
  await person.press('button:has-text("Add a suggestion")')
  await person.type('Seven degrees')
  await person.press('button:has-text("Add to review")')
  await person.sees('.review-draft')
})
await task('Mark a file as viewed', ada, `${pull}/changes`, [1, 0, 0], async (person) => {
  await person.press('button:has-text("Mark as viewed")')
  await person.page.waitForSelector('.diff-file:not([open])')
})
await task('Approve', ada, `${pull}/changes`, [3, 1, 0], async (person) => {
  await person.press('.review-menu > summary')
  await person.press('.review-menu label:has-text("Approve")')
  await person.press('button:has-text("Submit review")')
  await person.page.waitForURL(new RegExp(`/pull/${reviewed}$|/pull/${reviewed}[?#]`))
})
await task('Apply a suggestion', bob, pull, [2, 0, 0], async (person) => {
  await person.press('button:has-text("Commit suggestion"), button:has-text("Apply")')
  await person.sees('text=/applied|committed/i')
})
await task('Merge', ada, pull, [2, 0, 0], async (person) => {
  await person.press('form[action$="/merge"] button:has-text("Merge")')
  await person.sees('.badge:has-text("Merged")')
})
await task('Revert a merge', ada, pull, [2, 2, 0], async (person) => {
  await person.press('button:has-text("Revert")')
  await person.page.waitForURL(
    (url) => /\/pull\/\d+/.test(url.pathname) && !url.pathname.endsWith(pull),
  )
})
const squashed = await pullOf('timer', { 'src/timer.txt': 'tick\n' }, askBob)
await task(
  'Squash with a message of one\u2019s own',
  ada,
  `${REPO}/pull/${squashed}`,
  [4, 0, 3],
  async (person) => {
    await person.page.selectOption('[name=method]', 'squash')
    person.count.presses += 2
    await person.press('summary:has-text("Edit the commit message")')
    await person.type('Add a timer', '[name=message-squash]')
    await person.press('form[action$="/merge"] button:has-text("Merge")')
    await person.sees('.badge:has-text("Merged")')
  },
)
await git(work, 'pull', '-q', '--rebase', 'origin', 'main')
const conflicting = await pullOf('left', { 'src/deep/heat.txt': lines({ 9: 'left' }) }, askBob)
write('src/deep/heat.txt', lines({ 9: 'right' }))
await commit('Go right')
await git(work, 'push', '-q', 'origin', 'main')
await task('Resolve a conflict', bob, `${REPO}/pull/${conflicting}`, [3, 2, 0], async (person) => {
  await person.press('a:has-text("Resolve conflicts")')
  await person.press('fieldset.conflict label:has-text("Use left")')
  await person.press('button:has-text("Commit merge")')
  await person.page.waitForURL(/\/pull\/\d+$/)
})
const asked = await pullOf('fan', { 'src/fan.txt': 'fan\n' })
await task('Request a review', ada, `${REPO}/pull/${asked}`, [3, 0, 0], async (person) => {
  await person.press('form[aria-label="Request review"] summary')
  await person.press('form[aria-label="Request review"] .picker-item:has-text("bob")')
  const saved = person.page.waitForResponse((response) => response.url().endsWith('/reviewers'))
  await person.key('Escape')
  await saved
  await person.page.waitForLoadState()
  await person.sees('aside [aria-label="Cancel the review request to bob"]')
})

// The rest of the day.
await task('Publish a release with drafted notes', ada, REPO, [5, 2, 1], async (person) => {
  await person.press('main a:has-text("Create a release")')
  await person.page.waitForURL(/releases\/new/)
  await person.sees('[name=tag_name]:focus')
  await person.type('v1.0')
  await person.press('button:has-text("Generate release notes")')
  await person.page.waitForFunction(
    () => (document.querySelector<HTMLTextAreaElement>('[name=body]')?.value ?? '') !== '',
  )
  await person.press('button:has-text("Publish")')
  await person.page.waitForURL(/\/releases\/tag\//)
})
await git(work, 'pull', '-q', '--rebase', 'origin', 'main')
write(
  '.hearth/workflows/bake.yml',
  'name: Bake\non: workflow_dispatch\njobs:\n  bake:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo warm\n',
)
await commit('Bake by hand')
await git(work, 'push', '-q', 'origin', 'main')
await task('Dispatch a workflow', ada, REPO, [4, 2, 0], async (person) => {
  await person.press('nav a:has-text("Runs")')
  await person.press('summary:has-text("Run workflow")')
  await person.press('.menu-button:has-text("Bake")')
  await person.page.waitForURL(/\/runs\/run_/)
})
await task('Star a repository', bob, REPO, [1, 0, 0], async (person) => {
  await person.press('button:has-text("Star")')
  await person.sees('button:has-text("Starred")')
})
await task('Watch a repository', bob, REPO, [2, 0, 0], async (person) => {
  await person.press('summary:has-text("Watch")')
  await person.press('.menu-button:has-text("Everything")')
  await person.sees('summary:has-text("Watching")')
})
await task('Mark a notification as done', bob, '/', [2, 1, 0], async (person) => {
  await person.press('[aria-label^="Notifications"]')
  await person.page.waitForURL(/notifications/)
  await person.press('button:has-text("Done")')
})

const cell = ({ presses, loads, words }: Count): string => `${presses} / ${loads} / ${words}`
const isMore = ({ presses, loads, words, peer }: Task): boolean =>
  presses > peer.presses || words > peer.words || loads > peer.loads
console.log('| Task: presses / page loads / typed words | Hearth | GitHub (our count) | |')
console.log('| --- | --- | --- | --- |')
for (const one of tasks)
  console.log(`| ${one.name} | ${cell(one)} | ${cell(one.peer)} | ${isMore(one) ? 'more' : ''} |`)
for (const failure of failures) console.log(`failed: ${failure}`)
for (const problem of [...first.problems, ...second.problems]) console.log(`problem: ${problem}`)
if (failures.length > 0) console.log(`pictures are in ${work}`)
process.exit(failures.length > 0 || tasks.some(isMore) ? 1 : 0)
