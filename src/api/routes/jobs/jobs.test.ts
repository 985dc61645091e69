import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type StateCounts, ZERO_COUNTS } from '../../../store/jobs/job-documents.ts'
import type { StageCount } from '../../../store/jobs/job-stages.ts'
import type { JobRow } from '../../../store/jobs/jobs.ts'
import { jobDetails } from './jobs.ts'

const NODES = [
  { id: 'p', name: 'Partitioner', type: 'partition', subtype: 'auto', settings: null },
  { id: 'c', name: 'Chunker', type: 'chunk', subtype: 'chunk_by_title', settings: null },
]

describe('the node counts of a job', () => {
  /** `ready`, `in_progress`, `success` and `failure` of the source, both nodes and the destination. */
  const counts = (states: Partial<StateCounts>, stages: StageCount[] = []) => {
    // Only the fields that `jobDetails` reads.
    const job = {
      id: 'j',
      settings: { nodes: NODES },
      warnings: [],
      removed: 0,
      step_ms: {},
    } as unknown as JobRow
    return jobDetails(job, { states: { ...ZERO_COUNTS, ...states }, stages }).node_stats.map((node) => [
      node.ready,
      node.in_progress,
      node.success,
      node.failure,
    ])
  }
  const sums = (nodes: number[][]) => nodes.map((node) => node.reduce((sum, each) => sum + each, 0))

  test('count a document as failed only where it failed, and not at all behind it', () => {
    const nodes = counts({ new: 4, failed: 3 }, [
      { stage: 'read', state: 'failed', documents: 1 },
      { stage: 'partition', state: 'failed', documents: 1 },
      { stage: 'write', state: 'failed', documents: 1 },
    ])
    assert.deepEqual(nodes, [
      [0, 0, 6, 1],
      [0, 0, 5, 1],
      [0, 0, 5, 0],
      [0, 0, 4, 1],
    ])
  })

  test('add up to the documents that reach each node while a job runs', () => {
    const nodes = counts({ pending: 3, in_progress: 5, new: 4, failed: 1 }, [
      { stage: 'read', state: 'in_progress', documents: 2 },
      { stage: 'chunk', state: 'in_progress', documents: 1 },
      // This pipeline has no embedder: the document waits for the index.
      { stage: 'embed', state: 'in_progress', documents: 2 },
      { stage: 'partition', state: 'failed', documents: 1 },
    ])
    assert.deepEqual(nodes, [
      [3, 2, 8, 0],
      [5, 0, 7, 1],
      [5, 1, 6, 0],
      [6, 2, 4, 0],
    ])
    assert.deepEqual(sums(nodes), [13, 13, 12, 12])
  })

  test('count documents with new permissions only at the destination', () => {
    const nodes = counts({ new: 4, unchanged: 5, permissions_only: 2, skipped: 1, in_progress: 1 }, [
      { stage: 'permissions', state: 'in_progress', documents: 1 },
    ])
    assert.deepEqual(sums(nodes), [13, 4, 4, 7])
    assert.deepEqual(nodes.at(-1), [0, 1, 6, 0])
  })

  test('keep documents waiting that a stopped job did not reach', () => {
    const nodes = counts({ new: 4, failed: 1, skipped: 6 }, [
      { stage: 'chunk', state: 'failed', documents: 1 },
      { stage: 'read', state: 'skipped', documents: 5 },
    ])
    assert.deepEqual(nodes, [
      [5, 0, 6, 0],
      [5, 0, 5, 0],
      [5, 0, 4, 1],
      [5, 0, 4, 0],
    ])
  })
})
