import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '../world/flow.ts'
import { assertSuccess } from '../world/open-space.ts'
import { inSmallWorld } from '../world/small-world.ts'
import { includePage } from '../world/storage.ts'

test('it shows no text of an included restricted page', () =>
  inSmallWorld(async (setup) => {
    const { world, flow } = setup
    const { control } = world.wiki
    const salaries = await control.createPage({ space: 'OPN', title: 'Salaries', body: '<p>wolverine</p>' })
    await control.restrict(salaries, { read: { users: [setup.ann] } })
    await control.createPage({
      space: 'OPN',
      title: 'Report',
      body: `<p>quokka</p>${includePage('Salaries')}`,
    })
    const { details, id } = await assertSuccess(run(world, flow))
    assert.deepEqual(
      [await setup.bensHits('wolverine'), (await setup.bensHits('quokka')).length],
      [[], 1],
      'Ben reads the report, but not the salaries',
    )
    const [warning] = details.warnings
    assert.deepEqual(warning, {
      code: 'macros_dropped',
      message: 'Content of other pages or systems is left out: include (1 document)',
      documents: 1,
      subject: { kind: 'documents', id, field: 'macros_dropped' },
    })
    const { body } = await world.api.get<Documents>(`/jobs/${id}/documents?limit=100`)
    const said = body.items.flatMap(({ warnings = [] }) => warnings)
    assert.deepEqual(said, [
      {
        code: 'macros_dropped',
        count: 1,
        message: 'Content of other pages or systems is left out: include',
      },
    ])
  }))

type Documents = { items: { warnings?: { code: string; count: number; message: string }[] }[] }
