'use strict';
// Shows what /events says. Rates are differences of two counts over the last second; the past of a host is this page's own.
const SECOND = 1000, PAST = 60 * SECOND, RECENT = 5 * SECOND;
const past = new Map(); // host's key -> its samples of the last minute
let selected = null, last = null, over = false;

const at = id => document.getElementById(id);
const say = (id, text) => { const place = at(id); if (place.textContent !== text) place.textContent = text; };
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const whole = n => Math.round(n).toLocaleString('en');
const percent = part => Number.isFinite(part) ? (part * 100).toFixed(part < 0.0995 ? 1 : 0) + ' %' : '–';
const key = host => host.name + ' ' + host.pid + ' ' + host.directory;
const times = us => !Number.isFinite(us) ? '> 10 s' : us >= 1e6 ? us / 1e6 + ' s' : us >= 1e3 ? us / 1e3 + ' ms' : us + ' us';
const minus = (now, then) => now.map((n, i) => Math.max(0, n - (then ? then[i] : 0)));
const sum = counts => counts.reduce((a, b) => a + b, 0);

function percentile(counts, bounds, part) {
  const all = sum(counts);
  if (all === 0) return '–';
  let below = 0, i = 0;
  while ((below += counts[i]) < all * part) i++;
  return times(i < bounds.length ? bounds[i] : Infinity);
}

function keep(state) {
  for (const host of state.hosts) {
    const c = host.counters;
    c.inForce = Math.max(0, c.decisions - c.stale - c.aborted);
    const samples = past.get(key(host)) ?? [];
    past.set(key(host), samples);
    if (!host.ended || samples.length === 0 || !samples.at(-1).ended) {
      samples.push({ at: state.now, ended: host.ended, counters: host.counters, latency: host.latency, window: host.window });
    }
    while (samples.length > 2 && samples[1].at < samples.at(-1).at - PAST) samples.shift();
  }
}

/** The youngest sample that is at least so old, as seen from sample i. */
function before(samples, i, millis) {
  let j = i;
  while (j > 0 && samples[i].at - samples[j].at < millis) j--;
  return samples[j];
}

function rate(samples, i, name) {
  const now = samples[i], then = before(samples, i, SECOND);
  return now.at > then.at ? (now.counters[name] - then.counters[name]) / (now.at - then.at) * SECOND : NaN;
}

// ---- drawing: a canvas as wide as its place, in CSS pixels

function surface(id, height) {
  const canvas = at(id), ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const g = canvas.getContext('2d');
  g.scale(ratio, ratio);
  g.font = '12px system-ui, sans-serif';
  g.textBaseline = 'middle';
  return { g, width, height };
}

const LEFT = 52, BOTTOM = 20, TOP = 8;

function niceTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(n => n * power).find(n => n >= value);
}

function frame({ g, width, height }, top, text) {
  g.fillStyle = colour('--muted');
  g.strokeStyle = colour('--grid');
  g.textAlign = 'right';
  for (const part of [0, 0.5, 1]) {
    const y = Math.round(TOP + (height - TOP - BOTTOM) * (1 - part)) + 0.5;
    g.beginPath(); g.moveTo(LEFT, y); g.lineTo(width, y); g.stroke();
    g.fillText(text(top * part), LEFT - 6, y);
  }
}

const short = n => n >= 1e6 ? n / 1e6 + 'M' : n >= 1e3 ? n / 1e3 + 'k' : String(n);

function lines(id, samples, series) {
  const s = surface(id, 190), { g, width, height } = s;
  const values = series.map(one => samples.map((sample, i) => one.of(samples, i)));
  const top = niceTop(Math.max(...values.flat().filter(Number.isFinite), 1));
  frame(s, top, short);
  const end = samples.at(-1).at, floor = height - BOTTOM, high = floor - TOP;
  const x = time => LEFT + (width - LEFT) * (1 - (end - time) / PAST);
  g.fillStyle = colour('--muted');
  for (const seconds of [60, 45, 30, 15, 0]) {
    g.textAlign = seconds === 60 ? 'left' : seconds === 0 ? 'right' : 'center';
    g.fillText(seconds === 0 ? 'now' : '-' + seconds + ' s', x(end - seconds * SECOND), height - 8);
  }
  series.forEach((one, k) => {
    g.strokeStyle = colour(one.colour);
    g.lineWidth = 2;
    g.lineJoin = 'round';
    g.beginPath();
    let drawing = false;
    samples.forEach((sample, i) => {
      const value = values[k][i];
      if (!Number.isFinite(value)) return;
      const y = floor - high * value / top, to = x(sample.at);
      drawing ? g.lineTo(to, y) : g.moveTo(to, y);
      drawing = true;
    });
    g.stroke();
  });
}

function bars(id, recent, all, bounds) {
  const s = surface(id, 190), { g, width, height } = s;
  const used = all.map((n, i) => n > 0 ? i : -1).filter(i => i >= 0);
  if (used.length === 0) return;
  const first = Math.max(0, used[0] - 1), end = Math.min(bounds.length, used.at(-1) + 1);
  const share = counts => { const n = sum(counts) || 1; return counts.map(c => c / n); };
  const now = share(recent), ever = share(all);
  const top = niceTop(Math.max(...now, ...ever));
  frame(s, top, part => (part * 100).toFixed(part * 100 % 1 ? 1 : 0) + ' %');
  const step = (width - LEFT) / (end - first + 1), floor = height - BOTTOM, high = floor - TOP;
  for (let i = first; i <= end; i++) {
    const x = LEFT + (i - first) * step;
    g.fillStyle = colour('--s0');
    g.fillRect(x + 0.5, floor - high * now[i] / top, Math.max(1, step - 1), high * now[i] / top);
    if (i % 10 === 0 && i < bounds.length) { // a power of ten
      g.fillStyle = colour('--muted');
      g.textAlign = 'center';
      g.fillText(short(bounds[i]), Math.min(width - 12, Math.max(LEFT + 12, x + step)), height - 8);
    }
  }
  g.strokeStyle = colour('--s2');
  g.lineWidth = 1.5;
  g.beginPath();
  for (let i = first; i <= end; i++) {
    const x = LEFT + (i - first) * step, y = floor - high * ever[i] / top;
    i === first ? g.moveTo(x, y) : g.lineTo(x, y);
    g.lineTo(x + step, y);
  }
  g.stroke();
}

function timeline(host) {
  const row = 34, cpus = host.counters.cpus;
  const s = surface('timeline', Math.max(1, cpus) * row + BOTTOM + 4), { g, width, height } = s;
  const scale = (width - LEFT) / host.timelineMicros, light = colour('--light');
  g.textAlign = 'right';
  for (let cpu = 0; cpu < cpus; cpu++) {
    g.fillStyle = colour('--muted');
    g.fillText('CPU ' + cpu, LEFT - 6, cpu * row + row / 2);
    g.fillStyle = colour('--grid');
    g.fillRect(LEFT, cpu * row + row - 4, width - LEFT, 1);
    const runs = host.runs[cpu]?.runs ?? [];
    for (let i = 0; i < runs.length; i += 4) {
      const [task, from, long, preempted] = runs.slice(i, i + 4);
      const left = Math.max(LEFT, LEFT + from * scale), right = Math.min(width, LEFT + (from + long) * scale);
      g.fillStyle = `hsl(${task * 137.5 % 360} 62% ${light})`;
      g.fillRect(left, cpu * row + 4, Math.max(1.5, right - left - 0.3), row - 9);
      if (preempted) {
        g.fillStyle = colour('--fg');
        g.fillRect(right - 2, cpu * row + 4, 2, row - 9);
      }
      if (right - left > 24) {
        g.fillStyle = colour('--bg');
        g.textAlign = 'center';
        g.fillText(task, (left + right) / 2, cpu * row + row / 2);
        g.textAlign = 'right';
      }
    }
  }
  g.fillStyle = colour('--muted');
  const spanMillis = host.timelineMicros / 1000, ago = Math.round(host.timelineAgoMicros / 1000);
  for (let ms = 0; ms <= spanMillis; ms++) {
    g.textAlign = ms === 0 ? 'left' : ms === spanMillis ? 'right' : 'center';
    g.fillText(ms === spanMillis && ago === 0 ? 'now' : ms - spanMillis - ago + ' ms', LEFT + ms * 1000 * scale, height - 8);
  }
}

// ---- the page

function status(host) {
  const pill = at('agent');
  const [text, style] = over || host.ended ? ['ended', 'quiet']
    : host.counters.agentReady ? ['agent decides', 'good'] : ['no agent: the host decides', 'bad'];
  say('agent', text);
  pill.className = 'pill ' + style;
}

function table(state) {
  const rows = state.hosts.map(host => {
    const row = document.createElement('tr'), button = document.createElement('button'), c = host.counters;
    button.textContent = host.name;
    button.setAttribute('aria-pressed', String(host === shown(state)));
    button.addEventListener('click', () => { selected = key(host); show(last); });
    const cells = [whole(c.requestsServed), whole(c.inForce), whole(c.localDecisions), whole(c.stale), whole(c.aborted),
      percentile(host.window, state.boundsMicros, 0.5), percentile(host.window, state.boundsMicros, 0.99),
      percentile(host.latency, state.boundsMicros, 0.5), percentile(host.latency, state.boundsMicros, 0.99), whole(c.fences)];
    row.dataset.transport = host.name;
    row.append(document.createElement('td'), ...cells.map(text => {
      const cell = document.createElement('td');
      cell.textContent = text;
      return cell;
    }));
    row.firstChild.append(button);
    return row;
  });
  at('transports').replaceChildren(...rows);
}

function incidents(state) {
  const all = state.hosts.flatMap(host => host.incidents.map(one => ({ ...one, name: host.name })));
  all.sort((a, b) => b.at - a.at);
  const items = all.map(one => {
    const item = document.createElement('li'), time = document.createElement('time');
    time.dateTime = new Date(one.at).toISOString();
    time.textContent = new Date(one.at).toLocaleTimeString('en-GB');
    item.append(time, one.name + ': ' + one.text);
    return item;
  });
  if (items.length > 0) at('incidents').replaceChildren(...items);
}

function shown(state) {
  return state.hosts.find(host => key(host) === selected) ?? state.hosts.at(-1);
}

function show(state) {
  const host = shown(state);
  if (!host) return;
  const samples = past.get(key(host)), i = samples.length - 1, now = samples[i];
  const recent = before(samples, i, RECENT), busy = rate(samples, i, 'busyNanos') / 1e9 / Math.max(1, host.counters.cpus);
  const agent = rate(samples, i, 'inForce'), fallback = rate(samples, i, 'localDecisions');
  const latency = minus(now.latency, recent.latency), window5 = minus(now.window, recent.window);
  const figure = n => Number.isFinite(n) ? whole(n) : '–';
  say('name', host.name);
  at('name').className = 'pill';
  status(host);
  say('about', `process ${host.pid}, ${host.counters.cpus} CPU${host.counters.cpus === 1 ? '' : 's'}, ${host.seconds.toFixed(0)} s, ${host.directory}`);
  say('served', figure(rate(samples, i, 'requestsServed')));
  say('byAgent', figure(agent));
  say('byHost', figure(fallback));
  say('share', percent(fallback / (agent + fallback)));
  say('busy', percent(busy));
  say('latency99', percentile(latency, state.boundsMicros, 0.99));
  say('window50', percentile(window5, state.boundsMicros, 0.5));
  say('fences', whole(host.counters.fences));
  say('span', String(host.timelineMicros / 1000));
  at('untraced').hidden = host.traced;
  at('timeline').hidden = !host.traced;
  if (host.traced) timeline(host);
  lines('decisions', samples, [{ colour: '--s0', of: (all, k) => rate(all, k, 'inForce') },
    { colour: '--s1', of: (all, k) => rate(all, k, 'localDecisions') }]);
  lines('queues', samples, [{ colour: '--s0', of: (all, k) => all[k].counters.tasksRunnable },
    { colour: '--s1', of: (all, k) => all[k].counters.requestsWaiting }]);
  bars('latency', latency, host.latency, state.boundsMicros);
  bars('window', window5, host.window, state.boundsMicros);
  table(state);
  incidents(state);
}

const events = new EventSource('events');
events.onmessage = message => {
  last = JSON.parse(message.data);
  keep(last);
  show(last);
};
events.addEventListener('end', () => {
  over = true;
  events.close();
  if (last) show(last);
});
events.onerror = () => {
  if (over) return;
  say('agent', 'no connection');
  at('agent').className = 'pill bad';
};
window.addEventListener('resize', () => { if (last) show(last); });
