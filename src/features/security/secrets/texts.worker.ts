/** The thread that looks for secrets in texts, because expressions of all rules take long. */
import { lineAt, lineStarts, secretMatcher, SecretMatcher } from '#lib/secrets/secret-matcher.ts'
import type { SecretRule } from '#lib/secrets/secret-rules.ts'
import { lowerThreadPriority, NICENESS } from '#lib/threads/thread.ts'
import { serveRequests } from '#lib/threads/worker-requests.ts'
import type { TextRequest, TextSecret } from './text-thread.ts'

lowerThreadPriority(NICENESS.untrusted)

function findIn(text: string, custom: readonly SecretRule[]): TextSecret[] {
  const bytes = Buffer.from(text)
  const matchers = [secretMatcher(), ...(custom.length === 0 ? [] : [new SecretMatcher(custom)])]
  const starts = lineStarts(bytes)
  return matchers.flatMap((matcher) =>
    matcher.select(matcher.find(bytes), null).map(({ rule, secret, index }) => ({
      type: rule.id,
      label: rule.label,
      secret,
      line: lineAt(starts, index),
    })),
  )
}

serveRequests(({ texts, custom }: TextRequest): TextSecret[][] =>
  texts.map((text) => findIn(text, custom)),
)
