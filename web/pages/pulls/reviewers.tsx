// The requested reviewers of a pull request, in its side panel.
import { listAssignees, type Assignee } from '#features/issues/index.ts'
import type { PullOverview } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { listTeams, type Team } from '#features/teams/index.ts'
import {
  ActionButton,
  Button,
  Field,
  FieldPicker,
  Form,
  Icon,
  personOption,
  ActorLink,
  SideBlock,
  withChosen,
} from '../../components/index.ts'
import { pullPath, teamPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { findChoices, MAX_OPTIONS, shareChoices, type Choices } from '../choices.ts'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { t } from '../../text.ts'

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
    <Button
      small
      variant="quiet"
      icon="close"
      label={t('Cancel the review request to {name}', { name })}
    />
  </ActionButton>
)

const RequestAgain = ({
  visit,
  earlier,
  here,
}: {
  visit: Visit
  earlier: PullOverview['reviews'][number]['author'][]
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
            label={t('Request another review from {username}', { username: person.username })}
          />
        </ActionButton>
      </li>
    ))}
  </ul>
)

/** Of many teams the newest are listed, beside fewer people; the search finds all. */
const MAX_TEAMS = 4

export type ReviewerChoices = Choices<Assignee> & { readonly teams: readonly Team[] }

/** The people and teams to request a review from. Without a search the people are the assignable ones. */
export async function loadReviewers(
  visit: Visit,
  repo: Repo,
  assignable: Choices<Assignee>,
): Promise<ReviewerChoices> {
  const teams = await findChoices(visit, 'reviewers', async (page) => {
    const found = await visit.tryCall(listTeams, { workspace: repo.workspace, ...page })
    return { items: (found?.items ?? []).filter(({ visibility }) => visibility === 'visible') }
  })
  const people = await shareChoices(visit, 'reviewers', assignable, (page) =>
    visit.call(listAssignees, { repo: repo.full_name, ...page }),
  )
  const shownTeams = teams.items.slice(0, MAX_TEAMS)
  const shownPeople = people.items.slice(0, MAX_OPTIONS - shownTeams.length)
  const isShortened =
    shownTeams.length < teams.items.length || shownPeople.length < people.items.length
  return {
    ...teams,
    items: shownPeople,
    teams: shownTeams,
    hasMore: people.hasMore || teams.hasMore || isShortened,
  }
}

/** The people and teams that are not requested yet, and never the author. */
function reviewerOptions(data: PullOverview, repo: Repo, { items, teams }: ReviewerChoices) {
  const requested = new Set(requestedReviewers(data, repo).map(({ name }) => name))
  return [
    ...items
      .filter(({ id, username }) => id !== data.author.id && !requested.has(username))
      .map(personOption),
    ...teams
      .filter(({ slug }) => !requested.has(slug))
      .map(({ slug, name }) => ({
        value: `${repo.workspace}/${slug}`,
        label: `${repo.workspace}/${slug}`,
        mark: <Icon name="users" />,
        hint: name,
      })),
  ]
}

const RequestForm = ({
  visit,
  repo,
  here,
  data,
  choices,
}: {
  visit: Visit
  repo: Repo
  here: string
  data: PullOverview
  choices: ReviewerChoices
}) => {
  const at = visitForForm(visit, `${here}/reviewers`)
  const error = fieldError(at, at.form.error?.field ?? '') ?? formError(at)
  const typed = new Set(at.form.values.list('reviewers', /[\s,]+/))
  const listed = reviewerOptions(data, repo, choices)
  // Somebody who was chosen before a search stays among the options.
  const options =
    choices.q === null
      ? listed
      : withChosen(
          listed,
          [...typed].map((username) => personOption({ username })),
          choices,
        )
  const unlisted = [...typed].filter((name) => !options.some(({ value }) => value === name))
  return (
    <Form action={`${here}/reviewers`} csrf={visit.csrf} label={t('Request review')} saveOnClose>
      <FieldPicker
        small
        name="reviewers"
        label={t('Reviewers')}
        summary={t('Request review')}
        open={error !== null}
        search={choices}
        options={options.map((option) => ({
          ...option,
          chosen: typed.has(option.value ?? ''),
        }))}
        empty={t('No other people have access.')}
      >
        {error !== null && <p class="field-error">{error}</p>}
        <Field
          id="side-new-reviewers"
          name="reviewers"
          label={t('Other people, teams or agents')}
          value={unlisted.join(' ')}
          unmarked
          mono
          placeholder={t('ada {workspace}/team ada/agent', { workspace: repo.workspace })}
        />
        <Button small>{t('Request review')}</Button>
      </FieldPicker>
    </Form>
  )
}

/** The requested users, teams and agents in one list. */
function requestedReviewers(data: PullOverview, repo: Repo) {
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

/** Whether the viewer is the author. A pull request of an agent belongs to its owner too. */
export const isAuthor = ({ author }: PullOverview, { viewer }: Visit): boolean =>
  viewer !== null && [author.id, author.on_behalf_of?.id].includes(viewer.id)

export const Reviewers = ({
  visit,
  data,
  repo,
  choices,
}: {
  visit: Visit
  data: PullOverview
  repo: Repo
  choices: ReviewerChoices | null
}) => {
  const here = pullPath(repo.full_name, data.number)
  const active = data.status === 'open' || data.status === 'draft'
  const mayRequest =
    active && visit.viewer !== null && (repo.permissions.triage || isAuthor(data, visit))
  const requested = requestedReviewers(data, repo)
  const reviewers = [...new Map(data.reviews.map(({ author }) => [author.id, author])).values()]
  const earlier = mayRequest
    ? reviewers.filter(
        ({ kind, username }) =>
          kind !== 'workspace' && !requested.some(({ name }) => name === username),
      )
    : []
  if (requested.length === 0 && !mayRequest) return null
  return (
    <SideBlock title={t('Reviewers')}>
      {requested.length === 0 ? (
        <p class="muted">{t('No reviewers')}</p>
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
      {mayRequest && choices && (
        <RequestForm visit={visit} repo={repo} here={here} data={data} choices={choices} />
      )}
    </SideBlock>
  )
}
