// The notifications part of an issue or pull request: its mentions, and the viewer's subscription.
import {
  getIssueSubscription,
  listCrossReferences,
  type CrossReference,
  type IssueSubscription,
} from '#features/notifications/index.ts'
import { TimelineEvent } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { rich } from '../../text.ts'

export type IssueNotifications = {
  readonly mentions: readonly CrossReference[]
  readonly subscription: IssueSubscription | null
}

export async function loadIssueNotifications(
  visit: Visit,
  repo: string,
  number: number,
): Promise<IssueNotifications> {
  const [mentions, subscription] = await Promise.all([
    visit.call(listCrossReferences, { repo, target: String(number) }),
    visit.viewer ? visit.tryCall(getIssueSubscription, { repo, number }) : null,
  ])
  return { mentions: mentions.items, subscription }
}

/** The path of an address of this site, so that a link stays on the host of the request. */
const local = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '')

const MentionedItem = ({ reference, repo }: { reference: CrossReference; repo: string }) => (
  <TimelineEvent icon="link" actor={reference.actor} at={reference.created_at}>
    {rich('mentioned this in {a}', {
      a: (
        <a href={local(reference.html_url)}>
          {reference.repo === repo ? '' : reference.repo}#{reference.number} {reference.title}
        </a>
      ),
    })}
  </TimelineEvent>
)

/** Items for the timeline. */
export const mentionItems = ({ mentions }: IssueNotifications, repo: string) =>
  mentions.map((reference) => ({
    at: reference.created_at,
    item: <MentionedItem reference={reference} repo={repo} />,
  }))
