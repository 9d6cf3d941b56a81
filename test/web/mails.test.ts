/** Mail is written in the language that its recipient has chosen for the website. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { anonymous } from '#core/caller.ts'
import type { Feature } from '#core/hearth.ts'
import type { Settings } from '#core/settings.ts'
import { mailTranslations } from '#features/accounts/index.ts'
import { features } from '#features/index.ts'
import { addComment, createIssue } from '#features/issues/index.ts'
import { register, updateProfile } from '#features/workspaces/index.ts'
import german from '#web/locales/mails.de.json' with { type: 'json' }
import arabic from '#web/locales/mails.ar.json' with { type: 'json' }
import { translationsOfMail } from '#web/mails.ts'
import { sentMails } from '../features/accounts/mailbox.ts'
import { makeWorld } from '../world.ts'

const SOURCES = join(import.meta.dir, '../../src')
const placesOf = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()

async function makeTranslated(settings: Partial<Settings> = {}) {
  const all = features as Feature[]
  all.push({ name: 'translations', extensions: [mailTranslations.with(translationsOfMail)] })
  const world = await makeWorld(settings)
  all.pop()
  return world
}

test('notices and notifications are in the language of each recipient', async () => {
  const world = await makeTranslated()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const eve = await world.user('eve')
  await world.call(updateProfile, ada, { locale: 'de-AT' })
  await world.call(updateProfile, bob, { locale: 'ar' })
  await world.call(updateProfile, eve, { locale: 'fr' })
  await world.workspace('acme', { owner: ada, members: [bob, eve] })
  await world.repo('acme/site', { as: ada })
  const { number } = await world.call(createIssue, eve, { repo: 'acme/site', title: 'Broken' })
  await world.call(addComment, eve, {
    repo: 'acme/site',
    number,
    body: 'Checks passed. @ada @bob, look.',
  })
  const mails = await sentMails(world)
  const of = (name: string) => mails.findLast(({ to }) => to.startsWith(`${name}@`))?.text ?? ''
  expect(of('ada')).toContain('eve hat #1 kommentiert:')
  expect(of('ada')).toContain('Du bekommst dies, weil du erwähnt wurdest. Ansehen:')
  expect(of('bob')).toContain('تصلك هذه لأنه ذُكرت. اعرضه:')
  // What a person wrote stays as it is.
  for (const name of ['ada', 'bob']) expect(of(name)).toContain('Checks passed. @ada @bob, look.')
  await world.call(addComment, ada, { repo: 'acme/site', number, body: 'Ja' })
  await sentMails(world)
  const english = (await sentMails(world)).findLast(({ to }) => to.startsWith('eve@'))?.text
  expect(english).toContain('You receive this because you or an agent of yours opened it.')
})

test('who registers on a German page gets a German link to confirm the address', async () => {
  const world = await makeTranslated({ sign_up: 'open' })
  await world.user('ada')
  await world.call(register, anonymous, {
    username: 'karl',
    email: 'karl@example.com',
    password: 'long enough to be good',
    locale: 'de',
  })
  const [mail] = (await sentMails(world)).filter(({ to }) => to === 'karl@example.com')
  expect(mail?.text).toContain('Öffne diesen Link, um zu bestätigen, dass karl@example.com')
  expect(mail?.token).not.toBeNull()
})

/** The texts of mails in the source, as they are called. */
function textsInSource(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  const found: string[] = []
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const source = readFileSync(join(SOURCES, file), 'utf8')
    if (!/\b(?:sayTo|Say|sendSecurityNotice)\b|\bsentence: /.test(source)) continue
    for (const [, quoted = ''] of source.matchAll(/\bsay\(\s*'((?:[^'\\]|\\.)*)'/g))
      found.push(quoted.replaceAll('\\n', '\n'))
    for (const [, quoted = ''] of source.matchAll(
      /(?:sendSecurityNotice\([^;]*?|\bsentence: )'([A-Z](?:[^'\\]|\\.)*)'/g,
    ))
      found.push(quoted)
  }
  return found
}

test('each text of a mail has translations with the same values', () => {
  const texts = textsInSource()
  expect(texts.length).toBeGreaterThan(50)
  for (const catalogue of [german, arabic] as Record<string, string>[]) {
    expect(texts.filter((text) => !(text in catalogue))).toEqual([])
    for (const [english, translated] of Object.entries(catalogue))
      expect(placesOf(translated)).toEqual(placesOf(english))
  }
})
