// Looks up a ticket of the trackers that the workspace connected.
import { lookupTicket, type Ticket } from '#features/context/index.ts'
import { listIntegrations, MAX_INTEGRATIONS } from '#features/integrations/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  Badge,
  Button,
  Card,
  EmptyState,
  Field,
  Form,
  Icon,
  LinkButton,
  PageHead,
  RelativeTime,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { repoPath, withQuery, workspacePath } from '../../paths.ts'
import { type DirectResponse, page, type Visit } from '../../site.ts'
import { rich, t } from '../../text.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import {
  LongTextBody,
  loadLongText,
  loadPlainText,
  rawText,
  type LongText,
} from '../writing/long-text.tsx'

type Shown = {
  readonly repo: Repo
  readonly reference: string
  readonly ticket: Ticket | null
  /** What the ticket says. */
  readonly text: LongText | null
  /** Why there is no ticket. */
  readonly problem: string | null
  /** Whether the workspace has no tracker to ask; false for those who cannot know. */
  readonly lacksTracker: boolean
  readonly isOwner: boolean
}

/** Trackers that write in Markdown. Jira has a markup of its own, and errors are stack traces. */
export const MARKDOWN_TRACKERS: readonly unknown[] = [
  'hearth',
  'linear',
  'youtrack',
  'github',
  'gitea',
  'gitlab',
]

/** What a ticket says. Numbers and names of other trackers mean nothing here, so they become no links. */
const loadText = async (visit: Visit, { body, provider }: Ticket): Promise<LongText> =>
  MARKDOWN_TRACKERS.includes(provider)
    ? await loadLongText(visit, body, {
        page: visit.markdown,
        breaks: true,
        // An agent may have written an issue of this site. A ticket does not tell its author.
        isByAgent: provider === 'hearth',
      })
    : await loadPlainText(visit, body)

const TicketCard = ({
  visit,
  repo,
  ticket,
  text,
}: {
  visit: Visit
  repo: Repo
  ticket: Ticket
  text: LongText | null
}) => (
  <Card title={ticket.title}>
    <p class="row-meta">
      <Badge>{ticket.status}</Badge>
      <span>
        {ticket.url === '' ? (
          ticket.key
        ) : (
          <a href={ticket.url} rel="nofollow noopener">
            {ticket.key} <Icon name="external" />
          </a>
        )}
      </span>
      <span>{ticket.provider}</span>
      <span>
        {rich('read {time}', {
          time: <RelativeTime at={ticket.fetched_at} now={visit.hearth.clock.now()} />,
        })}
      </span>
    </p>
    {ticket.body !== '' && text !== null && <LongTextBody visit={visit} text={text} />}
    {ticket.files !== undefined && ticket.files.length > 0 && (
      <>
        <h3>{t('Files of the stack trace')}</h3>
        <ul>
          {ticket.files.map(({ path, line, url }) => (
            <li>
              <a href={url}>
                <code>{line === null ? path : `${path}:${line}`}</code>
              </a>
            </li>
          ))}
        </ul>
      </>
    )}
    {ticket.provider !== 'hearth' && !repo.archived && (
      <p>
        <LinkButton
          href={withQuery(repoPath(repo.full_name, '/issues/new'), {
            title: ticket.title.slice(0, 256),
            body: ticket.url,
          })}
          icon="plus"
        >
          {t('New issue')}
        </LinkButton>
      </p>
    )}
  </Card>
)

const TicketView = ({
  visit,
  repo,
  reference,
  ticket,
  text,
  problem,
  lacksTracker,
  isOwner,
}: Shown & { visit: Visit }): Html => (
  <RepoFrame visit={visit} repo={repo} title={t('Tickets')} current="issues">
    <PageHead
      title={t('Tickets')}
      lead={t('Tickets of the trackers that the workspace connected, and issues of this site.')}
      actions={
        <LinkButton href={workspacePath(repo.workspace, 'integrations')} icon="link">
          {t('Integrations')}
        </LinkButton>
      }
    />
    <Form
      action={repoPath(repo.full_name, '/tickets')}
      method="get"
      inline
      label={t('Look up a ticket')}
    >
      <Field
        name="reference"
        type="search"
        label={t('Key or address')}
        placeholder={t('ABC-12')}
        value={reference}
        maxlength={1000}
        required
        unmarked
      />
      <Button icon="search">{t('Look up')}</Button>
    </Form>
    {ticket !== null && <TicketCard visit={visit} repo={repo} ticket={ticket} text={text} />}
    {ticket === null && (
      <EmptyState
        icon="link"
        title={problem === null ? t('Look up a ticket') : t('No ticket was found')}
        actions={
          lacksTracker &&
          isOwner && (
            <LinkButton href={workspacePath(repo.workspace, 'integrations')} icon="link">
              {t('Connect a tracker')}
            </LinkButton>
          )
        }
      >
        {lacksTracker
          ? t('No tracker is connected.')
          : (problem ??
            t('Enter a key such as ABC-12, a name such as owner/repository#12, or an address.'))}
      </EmptyState>
    )}
  </RepoFrame>
)

/** Whether there is a tracker to ask, and whether the visitor can connect one. */
async function loadTrackers(visit: Visit, workspace: string) {
  const found = await visit.tryCall(listIntegrations, { workspace, per_page: MAX_INTEGRATIONS })
  // Only members see the integrations.
  if (found === null) return { lacksTracker: false, isOwner: false }
  const lacksTracker = !found.items.some(
    ({ kind, enabled }) => enabled && (kind === 'ticket_tracker' || kind === 'error_tracker'),
  )
  const { role } = await visit.call(getWorkspace, { workspace })
  return { lacksTracker, isOwner: role === 'owner' }
}

export const ticketPage = page({
  path: '/:workspace/:repo/tickets',
  load: async (visit): Promise<Shown | DirectResponse> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const reference = (visit.url.searchParams.get('reference') ?? '').slice(0, 1_000).trim()
    const shown = {
      repo,
      reference,
      ticket: null,
      text: null,
      problem: null,
      lacksTracker: false,
      isOwner: false,
    }
    if (reference === '') return shown
    try {
      const ticket = await visit.call(lookupTicket, { repo: repo.full_name, reference })
      const typed = rawText(visit, ticket.body)
      return typed ?? { ...shown, ticket, text: await loadText(visit, ticket) }
    } catch (error) {
      if (error instanceof Refusal && error.code !== 'unauthenticated')
        return {
          ...shown,
          problem: error.message,
          ...(error.code === 'not_found' ? await loadTrackers(visit, repo.workspace) : {}),
        }
      throw error
    }
  },
  view: (shown, visit) => <TicketView visit={visit} {...shown} />,
})
