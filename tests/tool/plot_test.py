"""benchmarks/plot.py: every mark is where its ratio is on the logarithmic axis."""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'benchmarks'))
import plot

failures = 0


def expect(what, ok):
    global failures
    if not ok:
        failures += 1
        print(f'{what}: failed')


rows = [dict(name='slow & odd', ok=True, limit=1., sinter=100., jax=10.), dict(name='best', ok=True, limit=2., sinter=2.),
        dict(name='short', ok=True, limit=.01, sinter=1., jax=1.), dict(name='wrong', ok=False, why='differs')]
rows = plot.merged(rows, [dict(peaks={}), dict(name='best', numpy=dict(run=20.), jax=dict(run=4.))])
expect('peers', rows[1]['numpy'] == 20. and rows[1]['jax'] == 4. and 'numpy' not in rows[0])
expect('no place without a limit to speak of', plot.places(rows[2]) == {} and plot.places(rows[3]) == {})
text = plot.svg(rows)
root = ElementTree.fromstring(text)
space = '{http://www.w3.org/2000/svg}'
marks = {g.find(f'{space}title').text: g for g in root.iter(f'{space}g')}
expect('marks', len(marks) == 5)
x = {name: float(g.find(f'{space}circle').get('cx')) for name, g in marks.items() if 'sinter' in name}
expect('titles', set(x) == {'slow & odd: sinter 100.00', 'best: sinter 1.00'})
ticks = {t.text: float(t.get('x')) for t in root.iter(f'{space}text') if t.get('text-anchor') == 'middle'}
expect('on the ticks', abs(x['best: sinter 1.00'] - ticks['1']) < .2 and abs(x['slow & odd: sinter 100.00'] - ticks['100']) < .2)
expect('logarithmic', abs((ticks['10'] - ticks['1']) - (ticks['100'] - ticks['10'])) < .3)
expect('ticks', plot.ticks(.9, 110) == [1., 2., 5., 10., 20., 50., 100.])
expect('within', all(0 < v < float(root.get('width')) for v in x.values()))
expect('nothing to draw', ElementTree.fromstring(plot.svg([])).tag == f'{space}svg')
sys.exit(failures != 0)
