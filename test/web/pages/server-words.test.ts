/** Words of the server that pages show in the language of the reader: jobs, services to connect. */
import { expect, test } from 'bun:test'
import { features } from '#features/index.ts'
import { PROVIDERS } from '#features/integrations/catalogue.ts'
import { withLocale } from '#web/locale.ts'
import { translateMessage } from '#web/messages.ts'
import { JOB_NAMES } from '#web/pages/admin/job-names.ts'

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
  const reason = 'There is no runner with the labels self-hosted, van'
  for (const locale of locales)
    withLocale(locale, () => {
      const said = translateMessage(reason)
      expect([said === reason, said.endsWith(' self-hosted, van')]).toEqual([false, true])
    })
})
