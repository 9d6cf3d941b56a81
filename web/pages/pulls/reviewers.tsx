// Who is asked to review a pull request, in its side panel.
import type { PullDetail } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Field,
  Form,
  Icon,
  PersonLink,
  SideBlock,
} from '../../components/index.ts'
import { pullPath, teamPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'

const Taken = ({
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
    <Button small look="quiet" icon="close" label={`Do not ask ${name}`} />
  </ActionButton>
)

export const Reviewers = ({
  visit,
  data,
  repo,
}: {
  visit: Visit
  data: PullDetail
  repo: Repo
}) => {
  const { users, teams, agents } = data.requested_reviewers
  const here = pullPath(repo.full_name, data.number)
  const active = data.status === 'open' || data.status === 'draft'
  const mayAsk =
    active &&
    visit.viewer !== null &&
    (repo.permissions.triage ||
      visit.viewer.id === data.author.id ||
      visit.viewer.id === data.author.on_behalf_of?.id)
  const asked = [
    ...users.map((person) => ({
      kind: 'users' as const,
      name: person.username,
      shown: <PersonLink of={person} />,
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
      shown: <PersonLink of={agent} />,
    })),
  ]
  // Those who reviewed and are not asked now can be asked again.
  const reviewers = [...new Map(data.reviews.map(({ author }) => [author.id, author])).values()]
  const again = mayAsk
    ? reviewers.filter(
        ({ kind, username }) =>
          kind !== 'workspace' && !asked.some(({ name }) => name === username),
      )
    : []
  if (asked.length === 0 && !mayAsk) return null
  const refused = visit.form.values.has('reviewers')
  return (
    <SideBlock title="Reviewers">
      {asked.length === 0 ? (
        <p class="muted">Nobody is asked</p>
      ) : (
        <ul class="bare-list">
          {asked.map(({ kind, name, shown }) => (
            <li>
              {shown} {mayAsk && <Taken visit={visit} here={here} kind={kind} name={name} />}
            </li>
          ))}
        </ul>
      )}
      {again.length > 0 && (
        <ul class="bare-list">
          {again.map((person) => (
            <li>
              <PersonLink of={person} />{' '}
              <ActionButton
                action={`${here}/reviewers`}
                csrf={visit.csrf}
                values={{ reviewers: person.username }}
              >
                <Button small look="quiet" icon="refresh" label={`Ask ${person.username} again`} />
              </ActionButton>
            </li>
          ))}
        </ul>
      )}
      {mayAsk && (
        <Form action={`${here}/reviewers`} csrf={visit.csrf} inline label="Ask for a review">
          <Field
            name="reviewers"
            label="People or teams to ask"
            hideLabel
            required
            mono
            placeholder={`ada ${repo.workspace}/team`}
            value={refused ? visit.form.values.text('reviewers') : ''}
            error={
              refused
                ? (fieldError(visit, visit.form.error?.field ?? '') ?? formError(visit))
                : null
            }
          />
          <Button small>Ask</Button>
        </Form>
      )}
    </SideBlock>
  )
}
