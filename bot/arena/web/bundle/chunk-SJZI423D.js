var t=class{#e=new Set;on(e){return this.#e.add(e),()=>this.#e.delete(e)}emit(e){for(let s of[...this.#e])s(e)}};export{t as a};
