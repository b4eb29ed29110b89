import{R as r}from"./chunk-GPKFLTQS.js";function t(){let e=r("guest_key",null);return e===null?{}:{authorization:`Bearer ${e}`}}export{t as a};
