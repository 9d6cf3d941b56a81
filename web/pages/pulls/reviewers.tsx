// The requested reviewers of a pull request, in its side panel.
import type { PullDetail } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Field,
  Form,
  Icon,
  ActorLink,
  SideBlock,
} from '../../components/index.ts'
import { pullPath, teamPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'

const CancelRequest = ({
  visit,
  here,
  kind,
  name,
}: {
  visit: Visit
  here: string
  kind: 'users' | 'teams' | 'agents'
  name: string
}) => (
  <ActionButton action={`${here}/reviewers/cancel`} csrf={visit.csrf} values={{ kind, name }}>
    <Button small variant="quiet" icon="close" label={`Cancel the review request to ${name}`} />
  </ActionButton>
)

const RequestAgain = ({
  visit,
  earlier,
  here,
}: {
  visit: Visit
  earlier: PullDetail['reviews'][number]['author'][]
  here: string
}) => (
  <ul class="bare-list">
    {earlier.map((person) => (
      <li>
        <ActorLink of={person} />{' '}
        <ActionButton
          action={`${here}/reviewers`}
          csrf={visit.csrf}
          values={{ reviewers: person.username }}
        >
          <Button
            small
            variant="quiet"
            icon="refresh"
            label={`Request another review from ${person.username}`}
          />
        </ActionButton>
      </li>
    ))}
  </ul>
)

const RequestForm = ({
  visit,
  repo,
  here,
  refused,
}: {
  visit: Visit
  repo: Repo
  here: string
  refused: boolean
}) => (
  <Form action={`${here}/reviewers`} csrf={visit.csrf} inline label="Request review">
    <Field
      name="reviewers"
      label="People or teams"
      hideLabel
      required
      mono
      placeholder={`ada ${repo.workspace}/team`}
      value={refused ? visit.form.values.text('reviewers') : ''}
      error={
        refused ? (fieldError(visit, visit.form.error?.field ?? '') ?? formError(visit)) : null
      }
    />
    <Button small>Request review</Button>
  </Form>
)

/** The requested users, teams and agents in one list. */
function requestedReviewers(data: PullDetail, repo: Repo) {
  const { users, teams, agents } = data.requested_reviewers
  return [
    ...users.map((person) => ({
      kind: 'users' as const,
      name: person.username,
      shown: <ActorLink of={person} />,
    })),
    ...teams.map((team) => ({
      kind: 'teams' as const,
      name: team,
      shown: (
        <a href={teamPath(repo.workspace, team)}>
          <Icon name="users" /> {repo.workspace}/{team}
        </a>
      ),
    })),
    ...agents.map((agent) => ({
      kind: 'agents' as const,
      name: agent.username,
      shown: <ActorLink of={agent} />,
    })),
  ]
}

export const Reviewers = ({
  visit,
  data,
  repo,
}: {
  visit: Visit
  data: PullDetail
  repo: Repo
}) => {
  const here = pullPath(repo.full_name, data.number)
  const active = data.status === 'open' || data.status === 'draft'
  const mayRequest =
    active &&
    visit.viewer !== null &&
    (repo.permissions.triage ||
      visit.viewer.id === data.author.id ||
      visit.viewer.id === data.author.on_behalf_of?.id)
  const requested = requestedReviewers(data, repo)
  const reviewers = [...new Map(data.reviews.map(({ author }) => [author.id, author])).values()]
  const earlier = mayRequest
    ? reviewers.filter(
        ({ kind, username }) =>
          kind !== 'workspace' && !requested.some(({ name }) => name === username),
      )
    : []
  if (requested.length === 0 && !mayRequest) return null
  const refused = visit.form.values.has('reviewers')
  return (
    <SideBlock title="Reviewers">
      {requested.length === 0 ? (
        <p class="muted">No reviewers</p>
      ) : (
        <ul class="bare-list">
          {requested.map(({ kind, name, shown }) => (
            <li>
              {shown}{' '}
              {mayRequest && <CancelRequest visit={visit} here={here} kind={kind} name={name} />}
            </li>
          ))}
        </ul>
      )}
      {earlier.length > 0 && <RequestAgain visit={visit} earlier={earlier} here={here} />}
      {mayRequest && <RequestForm visit={visit} repo={repo} here={here} refused={refused} />}
    </SideBlock>
  )
}
