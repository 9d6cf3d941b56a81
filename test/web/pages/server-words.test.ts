/** Words of the server that pages show in the language of the reader: jobs, services to connect. */
import { expect, test } from 'bun:test'
import { features } from '#features/index.ts'
import { PROVIDERS } from '#features/integrations/catalogue.ts'
import { withLocale } from '#web/locale.ts'
import { translateMessage } from '#web/messages.ts'
import { JOB_NAMES } from '#web/pages/admin/job-names.ts'
import { EVENT_SAMPLES } from './event-samples.ts'

const locales = ['de', 'ar'] as const

test('every job of a feature has a name in each language', () => {
  const kinds = features.flatMap(({ jobs = [] }) => jobs.map(({ kind }) => kind))
  expect(kinds.length).toBeGreaterThan(100)
  expect(kinds.filter((kind) => !(kind in JOB_NAMES))).toEqual([])
  for (const locale of locales) {
    const own = Object.entries(JOB_NAMES)
    const shown = withLocale(locale, () => Object.entries(JOB_NAMES))
    expect(shown.filter(([, name], at) => name === own[at]?.[1])).toEqual([])
  }
})

test('what a service is for is in each language; its name stays', () => {
  for (const { title, description, secret } of PROVIDERS)
    for (const locale of locales)
      withLocale(locale, () => {
        expect(translateMessage(description)).not.toBe(description)
        if (secret !== null) expect(translateMessage(secret.title)).not.toBe(secret.title)
        for (const name of title.match(/Jira|OpenAI|Grafana|Sentry|GitLab/g) ?? [])
          expect(translateMessage(title)).toContain(name)
      })
})

test('what a job waits for is in each language', () => {
  const reasons = {
    'There is no runner with the labels self-hosted, van': 'self-hosted, van',
    'Waits for approval of zoe or max to deploy to production': 'zoe',
    'Waits until 2026-11-29 10:00 UTC to deploy to production': '2026-11-29 10:00',
    'Waits for the concurrency group deploy, which CI #7 has': 'CI #7',
  }
  for (const locale of locales)
    withLocale(locale, () => {
      for (const [reason, value] of Object.entries(reasons)) {
        const said = translateMessage(reason)
        expect([reason, said === reason, said.includes(value)]).toEqual([reason, false, true])
        expect(said).not.toContain(' or ')
      }
    })
})

test('what happened is in each language, with the words in it', () => {
  const events = features.flatMap(({ events = [] }) => events)
  expect(events.filter(({ type }) => !(type in EVENT_SAMPLES)).map(({ type }) => type)).toEqual([])
  const said = events.flatMap(({ type, summary }) =>
    (EVENT_SAMPLES[type] ?? []).map((data) => summary(data as never, 'zoe')),
  )
  // German has words of its own that look like English ones; Arabic has none.
  const arabic = said.map((english) => withLocale('ar', () => translateMessage(english)))
  expect(arabic.filter((text) => /(?!zoe)[a-z]{3}/.test(text.replace('757e628', '')))).toEqual([])
  expect(
    said.filter((english) => withLocale('de', () => translateMessage(english)) === english),
  ).toEqual([])
})

test('names in what happened keep their letters', () => {
  for (const locale of locales)
    withLocale(locale, () => {
      expect(translateMessage('failed pushed 3 commits to private')).toMatch(/failed.*private/)
      expect(translateMessage('zoe deleted the tag open')).toContain('open')
    })
})
