import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { createEgress } from '../../src/connectors/egress/guard.ts'
import { wikiSchema } from '../../src/connectors/wiki/config.ts'
import { openWiki, type WikiSource } from '../../src/connectors/wiki/source.ts'
import type { DocumentRef } from '../../src/document.ts'
import { AppliedListing } from '../../src/jobs/passes/applied-listing.ts'
import { batchListing } from '../../src/jobs/passes/listing-batches.ts'
import { matchClauses } from '../../src/permissions/algebra.ts'
import { personTokens } from '../../src/permissions/principals.ts'
import { sourceDecisions } from '../../src/store/connectors/source-decisions.ts'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { currentPermissions } from '../../src/store/ledger/current-permissions.ts'
import { migrate } from '../../src/store/migrate.ts'
import { migrations } from '../../src/store/migrations/all.ts'
import { type FreshDatabase, freshDatabase } from '../world/postgres.ts'
import { editAtRandom, randomOf } from '../world/random-edits.ts'
import { startWiki, type Wiki, type WikiOptions } from '../world/wiki/start.ts'
import { cloud, type Deployment, dataCenter } from '../world/wiki-source.ts'

const { signal } = new AbortController()
const ROUNDS = 3
const EDITS = 12

/**
 * Listing, kept decisions, permission sets and the clauses that a search checks, against who may read in the wiki. The
 * same ledger follows random edits over several listings.
 */
describe('the permissions in the ledger', () => {
  let fresh: FreshDatabase
  let db: Database
  const egress = createEgress({ publicOnly: false })
  before(async () => {
    fresh = await freshDatabase()
    db = openDatabase(fresh.url)
    await migrate(db, migrations)
  })
  after(async () => {
    await egress.close()
    await closeDatabase(db)
    await fresh.drop()
  })

  const ordinary: WikiOptions = { pages: 120, spaces: 4, people: 40, groups: 6, folders: 'ordinary' }
  const everyKind: WikiOptions = { pages: 90, spaces: 4, people: 15, groups: 5, everyKind: true }
  const hidden = { folderRestrictionsHidden: true }
  for (const { name, deployment, wiki: options } of [
    { name: 'folders that are disclosed', deployment: cloud, wiki: { ...ordinary, seed: 31 } },
    {
      name: 'folders that are not disclosed',
      deployment: cloud,
      wiki: { ...ordinary, seed: 32, settings: hidden },
    },
    { name: 'every kind of account and node', deployment: cloud, wiki: { ...everyKind, seed: 33 } },
    {
      name: 'every kind, not disclosed',
      deployment: cloud,
      wiki: { ...everyKind, seed: 34, settings: hidden },
    },
    {
      name: 'Data Center',
      deployment: dataCenter,
      wiki: { ...everyKind, seed: 35, settings: { dcVersion: '9.4.0' } },
    },
  ])
    test(`it grants what the wiki grants after each listing, with ${name}`, async () => {
      const wiki = await startWiki(options)
      try {
        const ledger = await newLedger(db)
        const source = openFor(wiki, deployment, ledger.sourceId)
        const random = randomOf(options.seed)
        const history: string[] = []
        for (let round = 0; round < ROUNDS; round++) {
          if (round > 0) history.push(...(await editAtRandom({ wiki }, { random, times: EDITS })))
          // What is not disclosed is proved again within a day.
          await sql`update source_decisions set checked_at = checked_at - interval '25 hours'`.execute(db)
          const listed = await listInto(ledger, source, round === 0 ? 'content' : 'permissions')
          const wrong = await differences(wiki, { deployment, source, ...ledger, listed })
          assert.deepEqual(wrong.tooMany.slice(0, 5), [], `round ${round}: ${history.join(', ')}`)
          assert.deepEqual(wrong.tooFew.slice(0, 5), [], `round ${round}: ${history.join(', ')}`)
          assert.ok(wrong.pairs > 500, String(wrong.pairs))
        }
      } finally {
        await wiki.stop()
      }
    })

  function openFor(wiki: Wiki, deployment: Deployment, sourceId: string): WikiSource {
    const settings = { ...deployment.signIn(wiki, 'crawler'), max_num_of_docs_from_each_space: 10_000 }
    const decisions = sourceDecisions(db, sourceId)
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    return openWiki(wikiSchema.parse(settings), { egress, log, decisions }, { firstWaitMs: 5 })
  }

  /** Returns the documents that the listing showed. */
  async function listInto(ledger: Ledger, source: WikiSource, mode: 'content' | 'permissions') {
    const listing = new AppliedListing({ id: ledger.jobId, workflow_id: ledger.workflowId })
    const refs: DocumentRef[] = []
    let isComplete = false
    for await (const event of batchListing(source.list(signal))) {
      if (event.kind === 'complete') isComplete = true
      if (event.kind !== 'batch') continue
      refs.push(...event.refs)
      await db.transaction().execute(async (transaction) => {
        await listing.lock(transaction)
        await listing.apply(transaction, event, () => mode)
      })
    }
    assert.ok(isComplete)
    return refs
  }

  async function differences(
    wiki: Wiki,
    on: {
      deployment: Deployment
      source: WikiSource
      workflowId: string
      listed: Awaited<ReturnType<typeof listInto>>
    },
  ) {
    const { deployment, source, workflowId, listed } = on
    const { naming } = await source.site(signal)
    const readers = await wiki.control.readers(deployment.site)
    const people = (await wiki.control.truth()).people.filter(
      ({ accountType }) => deployment === cloud || accountType !== 'customer',
    )
    const tokens = await Promise.all(
      people.map(async (person) => {
        const user = deployment.idOf(person)
        const { account, ...belonging } = await source.people.groupsOf(user, signal)
        const named = account === 'known' ? { user, ...belonging } : belonging
        return { accountId: person.accountId, tokens: new Set(personTokens(named, naming)) }
      }),
    )
    const current = await currentPermissions(
      db,
      [workflowId],
      listed.map(({ recordId }) => recordId),
    )
    const pageIds = new Map(listed.map(({ recordId, locator }) => [recordId, locator.page_id ?? '']))
    const licensed = new Set(
      people
        .filter((each) => each.licensed && each.accountType === 'atlassian')
        .map(({ accountId }) => accountId),
    )
    const names = new Map(people.map(({ accountId, name }) => [accountId, name]))
    const nameOf = (accountId: string) => `${names.get(accountId)} (${accountId})`
    const wrong = { pairs: 0, tooMany: [] as string[], tooFew: [] as string[] }
    for (const { recordId, clauses, hidden: reason } of current) {
      const allowed = new Set(readers[pageIds.get(recordId) ?? ''])
      for (const { accountId, tokens: own } of tokens) {
        wrong.pairs++
        const isShown = reason === null && clauses !== null && matchClauses(clauses, own) !== null
        if (isShown && !allowed.has(accountId))
          wrong.tooMany.push(`too many: ${nameOf(accountId)} ${recordId}`)
        // Below folders that only checks decide, a class is proved for licensed people alone.
        if (!isShown && allowed.has(accountId) && licensed.has(accountId))
          wrong.tooFew.push(`too few: ${nameOf(accountId)} ${recordId}`)
      }
    }
    return wrong
  }
})

type Ledger = { workflowId: string; sourceId: string; jobId: string }

async function newLedger(db: Database): Promise<Ledger> {
  const [workspace, sourceId, workflowId, jobId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  await sql`insert into workspaces (id, name) values (${workspace}::uuid, ${workspace})`.execute(db)
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${sourceId}::uuid, ${workspace}::uuid, 'source', 'wiki', 's', '{}', '{}')`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state, source_id)
    values (${workflowId}::uuid, ${workspace}::uuid, ${workflowId}, 'custom', '[]', false, 'active', ${sourceId}::uuid)`.execute(
    db,
  )
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, settings)
    values (${jobId}::uuid, ${workspace}::uuid, ${workflowId}::uuid, 'w', 'IN_PROGRESS', 'IN_PROGRESS', 'persistent', '{}')`.execute(
    db,
  )
  return { workflowId, sourceId, jobId }
}
