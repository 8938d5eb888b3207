// ghost.js - what a change d of the parameters would do, to first order: everything + its derivatives times d.
//
// An event moves to t' = t + (dt/drho) d. The ghost at the time t is in the segment between the moved events, and where
// that is not the one of the motion itself, it goes on from the end of its segment with the velocity there: the place
// that the motion would have had without the event.

export class Ghost {
    constructor(doc, motion) {
        this.doc = doc;
        this.motion = motion;
        this.change = new Float64Array(doc.wrt.length);
        this.times = doc.events.map((e) => e.t);
    }

    get active() {
        return this.change.some((d) => d !== 0);
    }

    set(index, d) {
        this.change[index] = d;
        this.update();
    }

    clear() {
        this.change.fill(0);
        this.update();
    }

    // A linear prediction: the sum of a gradient with the change; what is not known of a parameter that does not change
    // does not matter.
    sum(gradient) {
        let sum = 0;
        for (let c = 0; c < this.change.length; c++)
            if (this.change[c] !== 0) sum += (gradient?.[c] ?? NaN) * this.change[c];
        return sum;
    }

    // Where events go; they stay in their order.
    update() {
        let last = -Infinity;
        this.times = this.doc.events.map((e) => {
            const t = e.t + (this.sum(e.gradient) || 0);
            last = Math.max(last, t);
            return last;
        });
    }

    segmentAt(t) {
        let segment = 0;
        while (segment < this.times.length && this.times[segment] <= t) segment++;
        return segment;
    }

    // The pose of the ghost at a time, in the segment that it is in then.
    fill(pose, t) {
        this.fillIn(pose, t, this.segmentAt(t));
    }

    fillIn(pose, t, segment) {
        const { doc, motion } = this;
        motion.fill(pose, t, segment);
        for (let i = 0; i < doc.places.length; i++) {
            const p = doc.places[i];
            if (!p.dx.length) continue;
            for (let c = 0; c < this.change.length; c++) {
                const d = this.change[c];
                if (d === 0) continue;
                pose.at[2 * i] += d * (motion.value(p.dx[c]) || 0);
                pose.at[2 * i + 1] += d * (motion.value(p.dy[c]) || 0);
            }
        }
        motion.carry(pose.at);
    }

    // The prediction of a series at a time.
    predict(series, t) {
        this.motion.locate(t, this.segmentAt(t));
        let value = this.motion.value(series.values);
        for (let c = 0; c < this.change.length; c++)
            if (this.change[c] !== 0) value += this.change[c] * (series.gradient[c] ? this.motion.value(series.gradient[c]) : NaN);
        return value;
    }
}
