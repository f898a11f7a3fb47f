// Draws what moves in a panel over its picture, from arrays of moments: between two moments things travel.

const MOVES = window.matchMedia("(prefers-reduced-motion: reduce)");
const TRAVEL_MS = 350; // from one moment to the next, by hand
const SPEEDS = [1, 2, 4, 0.5];

class Film {
  /** One canvas for each view: the whole picture, or a plot of it. */
  constructor(canvases) {
    Object.assign(this, { canvases, views: [], at: 0, last: 0, speed: 1 });
  }

  load({ moments, rate, views }) {
    Object.assign(this, { last: moments - 1, rate });
    this.views = (views ?? []).map(({ points, layers }) => ({
      points,
      layers: layers.map((layer) => {
        const arrays = {};
        for (const [name, bytes] of Object.entries(layer.arrays)) arrays[name] = floats(bytes);
        return { ...layer, ...arrays };
      }),
    }));
  }

  /** Show the moment t, which may lie between two. */
  show(t) {
    this.at = Math.min(Math.max(t, 0), this.last);
    this.views.forEach((view, i) => draw(this.canvases[i], view, this.at, this.last));
  }

  /** Travel to a moment; tell `reached` of each picture on the way, and `ended` of the end. */
  travel(until, duration, reached = () => {}, ended = () => {}) {
    const [from, begun] = [this.at, performance.now()];
    this.stop();
    const next = (time) => {
      const done = duration > 0 ? Math.min((time - begun) / duration, 1) : 1;
      this.show(from + Math.max(done, 0) * (until - from));
      reached(this.at);
      if (done < 1) this.frame = requestAnimationFrame(next);
      else ended();
    };
    next(begun);
  }

  /** Travel to a moment near by, jump to one far off. */
  go(moment) {
    this.travel(moment, Math.abs(moment - this.at) <= 3 ? TRAVEL_MS : 0);
  }

  /** Play to the end; at the end, from the beginning. */
  play(reached, ended) {
    if (this.at >= this.last) this.show(0);
    this.travel(this.last, (1000 * (this.last - this.at)) / (this.rate * this.speed), reached, ended);
  }

  stop() {
    cancelAnimationFrame(this.frame);
  }

  /** The next speed, as it stands on a button. */
  faster() {
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
    return `${this.speed}×`;
  }
}

function draw(canvas, { points, layers }, at, last) {
  canvas.dataset.moment = at;
  const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio];
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const now = Math.floor(at);
  const s = MOVES.matches ? 0 : at - now;
  for (const layer of layers) {
    const [left, top, wide, tall] = layer.box;
    const [x0, x1, y0, y1] = layer.limits;
    const pen = {
      context,
      point: width / points,
      x: (v) => (left + ((v - x0) / (x1 - x0)) * wide) * width,
      y: (v) => (top + ((y1 - v) / (y1 - y0)) * tall) * height,
      at: (name, j) => between(layer[name], layer.rows[name], now, last, s * s * (3 - 2 * s), j),
      now,
      s,
    };
    context.save();
    context.beginPath();
    context.rect(left * width - 12, top * height - 12, wide * width + 24, tall * height + 24);
    context.clip();
    context.lineWidth = 2.4 * pen.point;
    context.lineJoin = "round";
    context.fillStyle = context.strokeStyle = layer.colours[0];
    DRAW[layer.kind](pen, layer);
    context.restore();
  }
}

function floats(bytes) {
  const view = bytes.buffer ? bytes : new DataView(bytes);
  return new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

/** Entry j of a row between two moments; where one of them has none, that of the first. */
function between(values, length, now, last, s, j) {
  const before = values[now * length + j];
  const after = values[Math.min(now + 1, last) * length + j];
  return s && Number.isFinite(after) ? before + s * (after - before) : before;
}

const DRAW = {
  dots({ context, point, x, y, at }, layer) {
    context.strokeStyle = "black";
    context.globalAlpha = 0.8;
    context.lineWidth = 0.8 * point;
    layer.colours.forEach((colour, j) => {
      context.fillStyle = colour;
      context.beginPath();
      context.arc(x(at("x", j)), y(at("y", j)), Math.max(at("radius", j) * point, 0), 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    });
  },

  curve({ context, x, y, at }, layer) {
    const line = new Path2D();
    const n = layer.rows.x;
    for (let j = 0; j < n; j++) line.lineTo(x(at("x", j)), y(at("y", j)));
    context.stroke(line);
    if (!layer.fill) return;
    line.lineTo(x(at("x", n - 1)), y(0));
    line.lineTo(x(at("x", 0)), y(0));
    context.globalAlpha = layer.fill;
    context.fill(line);
  },

  bars({ context, x, y, at }, layer) {
    for (let j = 0; j + 1 < layer.x.length; j++) {
      const [left, right, low, high] = [x(layer.x[j]), x(layer.x[j + 1]), y(at("low", j)), y(at("high", j))];
      context.fillRect(left, high, right - left, low - high);
    }
  },

  trails({ context, point, x, y, at, now, s }, layer) {
    context.lineWidth = layer.width * point;
    const last = layer.x.length - 1;
    layer.colours.forEach((colour, j) => {
      context.strokeStyle = colour;
      context.beginPath();
      for (let i = 0; i <= now; i++) context.lineTo(x(layer.x[i]), y(layer.y[i * layer.rows.y + j]));
      if (s && now < last) context.lineTo(x(layer.x[now] + s * (layer.x[now + 1] - layer.x[now])), y(at("y", j)));
      context.stroke();
    });
  },

  strip({ context, x, y, now }, layer) {
    const [low, high] = [y(layer.y[0]), y(layer.y[1])];
    for (let i = 0; i <= now; i++) {
      context.fillStyle = layer.colours[layer.which[i]];
      context.fillRect(x(layer.x[i]), high, x(layer.x[i + 1]) - x(layer.x[i]) + 0.5, low - high);
    }
  },

  links({ context, point, x, y, now }, layer) {
    const n = layer.rows.ends / 4;
    const end = (i, j) => layer.ends[now * layer.rows.ends + i * n + j];
    context.lineWidth = 3 * point;
    if (layer.dashed) context.setLineDash([3 * point, 5 * point]);
    for (let j = 0; j < n; j++) {
      if (Number.isNaN(end(0, j))) continue;
      context.beginPath();
      context.moveTo(x(end(0, j)), y(end(1, j)));
      context.lineTo(x(end(2, j)), y(end(3, j)));
      context.stroke();
    }
  },

  words({ context, point, x, y, at, now }, layer) {
    context.textAlign = layer.align;
    context.font = `${13 * point}px "DejaVu Sans", Verdana, sans-serif`;
    context.fillText(layer.texts[now], x(at("x", 0)), y(at("y", 0)));
  },
};

